import { canonicalWriter, type FeedDefinition, hexDigestSql, textDigest } from '@cxp/change-feed';
import { type RowOf, textColumn } from '@cxp/storage';
import { responseColumns, type ResponseRecord, SHOWN_FIELDS } from './response-fields';

export type FeedRow = RowOf<typeof FEED_ROW>;

const FEED_ROW = {
  survey_campaign_id: textColumn('row.campaign_id'),
  digest: textColumn(hexDigestSql('row.digest')),
  ...responseColumns(SHOWN_FIELDS, 'row'),
};

export const RESPONSE_FEED: FeedDefinition = {
  name: 'survey-responses',
  schema: 'survey',
  table: 'survey.response',
  columns: FEED_ROW,
  mode: 'prepared',
  bytes: 'bytes',
};

export function feedKey(identifier: string): string {
  return `'{"identifier":"' || ${identifier} || '"}'`;
}

const canonicalRow = canonicalWriter<ResponseRecord>([
  'identifier',
  ...(Object.keys(SHOWN_FIELDS) as (keyof typeof SHOWN_FIELDS)[]),
]);

/** Clients compute the same digest. */
export function responseDigest(record: ResponseRecord): string {
  const { identifier, survey_campaign_id } = record;
  return textDigest(
    `{"key":{"identifier":"${identifier}"},"row":${canonicalRow(record)},"survey_campaign_id":"${survey_campaign_id}"}`,
  ).toString();
}
