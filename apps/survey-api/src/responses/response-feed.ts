import { canonicalWriter, textDigest } from '@cxp/change-feed';
import type { SurveyResponseResponse } from './response.dto';

/** SQL, of a left-joined `campaign`: responses of campaigns that have not arrived, or are deleted, are not in the feed. */
export const IS_HIDDEN = `coalesce(campaign.status, 'awaited') IN ('awaited', 'deleted')`;

const canonicalRow = canonicalWriter<SurveyResponseResponse>([
  'identifier',
  'sent_timestamp',
  'sending_failed_timestamp',
  'opened_timestamp',
  'answered_timestamp',
  'user_name',
  'user_phone',
  'user_email',
  'source',
  'transaction_id',
  'metadata_mappings',
  'answers',
]);

/** Over what the feed answers of a response, as clients compute it. */
export function responseDigest(campaignId: string, row: SurveyResponseResponse): string {
  return textDigest(
    `{"key":{"identifier":"${row.identifier}"},"row":${canonicalRow(row)},"survey_campaign_id":"${campaignId}"}`,
  ).toString();
}
