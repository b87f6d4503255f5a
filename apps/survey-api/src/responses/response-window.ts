/** The responses of one campaign whose earliest time falls into a range, `before` excluded. */
export interface ResponseWindow {
  readonly organizationId: string;
  readonly campaignId: string;
  /** The first instant of a day in UTC+7, as is `before`. */
  readonly from: Date;
  readonly before: Date;
}

/** What a query selects to make a `SurveyResponse` of each row of `survey.response`. */
export const RESPONSE_COLUMNS = `
  response.identifier, response.sent_at AS "sentAt", response.sending_failed_at AS "sendingFailedAt",
  response.opened_at AS "openedAt", response.answered_at AS "answeredAt", response.user_name AS "userName",
  response.user_phone AS "userPhone", response.user_email AS "userEmail", response.source,
  response.transaction_id AS "transactionId", response.tags, response.metadata_mappings AS "metadataMappings",
  response.answers`;
