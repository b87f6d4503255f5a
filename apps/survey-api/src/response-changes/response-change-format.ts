import type { Change, ChangeFormat } from '@cxp/change-feed';
import type { FeedRow } from '../responses/response-feed';

export const RESPONSE_CHANGE_FORMAT: ChangeFormat<FeedRow> = {
  items: (changes) => changes.map((change) => JSON.stringify(responseChange(change))),
  end: ({ nextCursor, hasMore }) => ({ next_cursor: nextCursor, has_more: hasMore }),
};

function responseChange(item: Change<FeedRow>): object {
  const { op, change } = item;
  switch (item.op) {
    case 'upsert': {
      const { survey_campaign_id, digest, ...row } = item.row;
      return { op, change, key: { identifier: row.identifier }, survey_campaign_id, digest, row };
    }
    case 'delete':
      return { op, change, key: JSON.parse(item.key) as { identifier: string }, reason: item.reason };
    case 'resync':
      throw new Error('the feed of survey responses has no resyncs');
  }
}
