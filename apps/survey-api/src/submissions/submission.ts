import type { Answers, JsonObject } from '../responses/answers';
import type { SurveyResponse } from '../responses/survey-response';

/** What a respondent has come to: the page is open, something is typed, the answers are sent. */
export const SUBMISSION_STATES = ['opened', 'draft', 'answered'] as const;
export type SubmissionState = (typeof SUBMISSION_STATES)[number];

/** What a respondent did on the page of a link, judged by the questions of its campaign. */
export interface Submission {
  readonly organizationId: string;
  readonly campaignId: string;
  /** Of the link. */
  readonly publicId: string;
  /** Of the response. */
  readonly identifier: string;
  readonly state: SubmissionState;
  /** Not part of the response until they are answered. */
  readonly answers: Answers;
  readonly submittedAt: Date;
}

/** A submission that changes the response. */
export type StoredSubmission = Submission & { readonly state: 'opened' | 'answered' };

/** A response and the campaign that it belongs to. */
export type LinkedResponse = SurveyResponse & { readonly campaignId: string };

/**
 * What becomes of a response. Once it is answered nothing changes it. It keeps its place in the order of pages: its times are
 * never before those that it has.
 * @param metadataMappings of the link
 * @returns undefined if the submission changes nothing
 */
export function submitted(
  known: LinkedResponse | undefined,
  { identifier, campaignId, state, answers, submittedAt }: StoredSubmission,
  metadataMappings: JsonObject | null,
): LinkedResponse | undefined {
  if (known?.answeredAt || (known?.openedAt && state === 'opened')) return undefined;
  const response = known ?? { ...UNKNOWN_RESPONSE, identifier, campaignId };
  const openedAt = response.openedAt ?? latest(submittedAt, earliestTime(response));
  const isAnswered = state === 'answered';
  return {
    ...response,
    openedAt,
    answeredAt: isAnswered ? latest(submittedAt, earliestTime({ ...response, openedAt }), openedAt) : null,
    metadataMappings: response.metadataMappings ?? metadataMappings,
    answers: isAnswered ? answers : response.answers,
  };
}

const UNKNOWN_RESPONSE = {
  sentAt: null,
  sendingFailedAt: null,
  openedAt: null,
  answeredAt: null,
  userName: null,
  userPhone: null,
  userEmail: null,
  source: 'Anonymous Link',
  transactionId: null,
  tags: [],
  metadataMappings: null,
  answers: null,
} as const satisfies Omit<SurveyResponse, 'identifier'>;

/** The place of a response in the order of pages. */
function earliestTime({ sentAt, sendingFailedAt, openedAt, answeredAt }: SurveyResponse): Date | undefined {
  const times = [sentAt, sendingFailedAt, openedAt, answeredAt].filter((time) => time !== null);
  return times.length === 0 ? undefined : new Date(Math.min(...times.map(Number)));
}

function latest(...times: readonly (Date | undefined)[]): Date {
  return new Date(Math.max(...times.filter((time) => time !== undefined).map(Number)));
}
