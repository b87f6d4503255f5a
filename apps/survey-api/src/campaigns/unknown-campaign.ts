import { rejectAsInvalid } from '@cxp/error-envelopes';

/** C2 and C3 have no 404: a campaign that the organization does not have is a bad parameter. @throws ProblemError 422 */
export function rejectUnknownCampaign(): never {
  rejectAsInvalid(UNKNOWN_CAMPAIGN);
}

export const UNKNOWN_CAMPAIGN = {
  loc: ['query', 'survey_campaign_id'],
  msg: 'survey_campaign_id must be a survey campaign of the organization',
  type: 'unknown_campaign',
};
