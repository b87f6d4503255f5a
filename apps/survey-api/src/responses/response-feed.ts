import { canonicalWriter, type FeedDefinition, hexDigestSql, textDigest } from '@cxp/change-feed';
import { type RowOf, textColumn } from '@cxp/storage';
import { responseColumns } from './survey-response';
import type { ResponseRecord } from './response-record';

/** A response in the feed. */
export type FeedRow = RowOf<typeof FEED_ROW>;

const FEED_ROW = {
  survey_campaign_id: textColumn('row.campaign_id'),
  digest: textColumn(hexDigestSql('row.digest')),
  ...responseColumns('row'),
};

/** All responses of an organization whose campaigns have arrived and are not deleted. */
export const RESPONSE_FEED: FeedDefinition = {
  name: 'survey-responses',
  schema: 'survey',
  table: 'survey.response',
  columns: FEED_ROW,
  mode: 'prepared',
  bytes: 'bytes',
};

/** SQL: the key of a response as the feed answers it. */
export function feedKey(identifier: string): string {
  return `'{"identifier":"' || ${identifier} || '"}'`;
}

const canonicalRow = canonicalWriter<ResponseRecord>(
  Object.keys(responseColumns('row')) as (keyof ReturnType<typeof responseColumns>)[],
);

/** Over what the feed answers of a response, as clients compute it. */
export function responseDigest(record: ResponseRecord): string {
  const { identifier, survey_campaign_id } = record;
  return textDigest(
    `{"key":{"identifier":"${identifier}"},"row":${canonicalRow(record)},"survey_campaign_id":"${survey_campaign_id}"}`,
  ).toString();
}
