import type { SurveyResponseData } from '@cxp/platform-records';
import { utc } from '../calendar/day-window';

export type ResponseRecord = ReturnType<typeof completeResponse>;

/** A response's record in the one form that is stored: uuids in lower case, times in UTC, nothing left out. */
export function completeResponse(sent: SurveyResponseData) {
  return {
    identifier: sent.identifier.toLowerCase(),
    survey_campaign_id: sent.survey_campaign_id.toLowerCase(),
    sent_timestamp: utc(sent.sent_timestamp),
    sending_failed_timestamp: utc(sent.sending_failed_timestamp),
    opened_timestamp: utc(sent.opened_timestamp),
    answered_timestamp: utc(sent.answered_timestamp),
    user_name: sent.user_name ?? null,
    user_phone: sent.user_phone ?? null,
    user_email: sent.user_email ?? null,
    source: sent.source ?? null,
    transaction_id: sent.transaction_id ?? null,
    tags: sent.tags ?? [],
    metadata_mappings: sent.metadata_mappings ?? null,
    answers: sent.answers ?? null,
  };
}

/** When something last happened to a response; undefined without any timestamp. */
export function latestTimeOf(record: ResponseRecord): string | undefined {
  const { sent_timestamp, sending_failed_timestamp, opened_timestamp, answered_timestamp } = record;
  return [sent_timestamp, sending_failed_timestamp, opened_timestamp, answered_timestamp]
    .filter((time) => time !== null)
    .sort()
    .at(-1);
}
