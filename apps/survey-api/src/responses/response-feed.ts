import { canonicalWriter, type FeedDefinition, hexDigestSql, textDigest } from '@cxp/change-feed';
import { textColumn } from '@cxp/storage';
import { responseColumns } from './survey-response';
import type { SurveyResponseDto } from './response.dto';

/** All responses of an organization whose campaigns have arrived and are not deleted. */
export const RESPONSE_FEED: FeedDefinition = {
  name: 'survey-responses',
  schema: 'survey',
  table: 'survey.response',
  columns: {
    campaignId: textColumn('row.campaign_id'),
    ...responseColumns('row'),
    digest: textColumn(hexDigestSql('row.digest')),
  },
  mode: 'prepared',
  bytes: 'bytes',
};

/** SQL: the key of a response as the feed answers it. */
export function feedKey(identifier: string): string {
  return `'{"identifier":"' || ${identifier} || '"}'`;
}

const canonicalRow = canonicalWriter<SurveyResponseDto>([
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
export function responseDigest(campaignId: string, row: SurveyResponseDto): string {
  return textDigest(
    `{"key":{"identifier":"${row.identifier}"},"row":${canonicalRow(row)},"survey_campaign_id":"${campaignId}"}`,
  ).toString();
}
