import { jsonColumn, nullable, type RowOf, textColumn, timeColumn } from '@cxp/storage';
import type { Answers, JsonObject } from './answers';

/** One response to a survey campaign, as it is stored. */
export type SurveyResponse = RowOf<ReturnType<typeof responseColumns>>;

/** @param row SQL: the alias of a row of `survey.response` */
export function responseColumns(row: string) {
  return {
    identifier: textColumn(`${row}.identifier`),
    sentAt: nullable(timeColumn(`${row}.sent_at`)),
    sendingFailedAt: nullable(timeColumn(`${row}.sending_failed_at`)),
    openedAt: nullable(timeColumn(`${row}.opened_at`)),
    answeredAt: nullable(timeColumn(`${row}.answered_at`)),
    userName: nullable(textColumn(`${row}.user_name`)),
    userPhone: nullable(textColumn(`${row}.user_phone`)),
    userEmail: nullable(textColumn(`${row}.user_email`)),
    /** The distribution channel. */
    source: nullable(textColumn(`${row}.source`)),
    transactionId: nullable(textColumn(`${row}.transaction_id`)),
    tags: jsonColumn<readonly string[]>(`${row}.tags`),
    /** Values by metadata variable. */
    metadataMappings: nullable(jsonColumn<JsonObject>(`${row}.metadata_mappings`)),
    answers: nullable(jsonColumn<Answers>(`${row}.answers`)),
  };
}
