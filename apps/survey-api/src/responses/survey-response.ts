import { jsonColumn, nullable, type RowOf, textColumn, timeColumn } from '@cxp/storage';
import type { Answers, JsonObject } from './answers';

/** A response as it is stored; its JSON is what C2 and the feed of changes answer. */
export type SurveyResponse = RowOf<ReturnType<typeof responseColumns>>;

/** @param row SQL: the alias of a row of `survey.response` */
export function responseColumns(row: string) {
  return {
    identifier: textColumn(`${row}.identifier`),
    sent_timestamp: nullable(timeColumn(`${row}.sent_at`)),
    sending_failed_timestamp: nullable(timeColumn(`${row}.sending_failed_at`)),
    opened_timestamp: nullable(timeColumn(`${row}.opened_at`)),
    answered_timestamp: nullable(timeColumn(`${row}.answered_at`)),
    user_name: nullable(textColumn(`${row}.user_name`)),
    user_phone: nullable(textColumn(`${row}.user_phone`)),
    user_email: nullable(textColumn(`${row}.user_email`)),
    source: nullable(textColumn(`${row}.source`)),
    transaction_id: nullable(textColumn(`${row}.transaction_id`)),
    metadata_mappings: nullable(jsonColumn<JsonObject>(`${row}.metadata_mappings`)),
    answers: nullable(jsonColumn<Answers>(`${row}.answers`)),
  };
}

/** SQL: when something last happened to a response. */
export const LATEST_AT = 'GREATEST(sent_at, sending_failed_at, opened_at, answered_at)';
