import type { Answers, JsonObject } from './answers';

/** One response to a survey campaign, as it is stored. */
export interface SurveyResponse {
  readonly identifier: string;
  readonly sentAt: Date | null;
  readonly sendingFailedAt: Date | null;
  readonly openedAt: Date | null;
  readonly answeredAt: Date | null;
  readonly userName: string | null;
  readonly userPhone: string | null;
  readonly userEmail: string | null;
  /** The distribution channel. */
  readonly source: string | null;
  readonly transactionId: string | null;
  readonly tags: readonly string[];
  /** Values by metadata variable. */
  readonly metadataMappings: JsonObject | null;
  readonly answers: Answers | null;
}
