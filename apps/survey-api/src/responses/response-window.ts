/** The responses of one campaign whose earliest time falls into a range, `before` excluded. */
export interface ResponseWindow {
  readonly campaignId: string;
  /** The first instant of a day in UTC+7, as is `before`. */
  readonly from: Date;
  readonly before: Date;
}

/** What a query selects to make a `SurveyResponse` of each row of `survey.response`. */
export const RESPONSE_COLUMNS = responseColumns('response');

/** The same of a table or view that has these columns, by its alias. */
export function responseColumns(alias: string): string {
  return `
    ${alias}.identifier, ${alias}.sent_at AS "sentAt", ${alias}.sending_failed_at AS "sendingFailedAt",
    ${alias}.opened_at AS "openedAt", ${alias}.answered_at AS "answeredAt", ${alias}.user_name AS "userName",
    ${alias}.user_phone AS "userPhone", ${alias}.user_email AS "userEmail", ${alias}.source,
    ${alias}.transaction_id AS "transactionId", ${alias}.tags, ${alias}.metadata_mappings AS "metadataMappings",
    ${alias}.answers`;
}
