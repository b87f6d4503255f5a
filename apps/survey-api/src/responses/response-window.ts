/** The responses of one campaign whose earliest time falls into a range, `before` excluded. */
export interface ResponseWindow {
  readonly campaignId: string;
  /** The first instant of a day in UTC+7, as is `before`. */
  readonly from: Date;
  readonly before: Date;
}
