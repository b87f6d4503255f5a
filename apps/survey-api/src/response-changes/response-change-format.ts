import type { Change, ChangeFormat } from '@cxp/change-feed';
import { surveyResponse } from '../responses/response.dto';
import type { SurveyResponse } from '../responses/survey-response';
import type { ResponseChange } from './response-change.dto';

/** A response in the feed. */
export type FeedRow = SurveyResponse & { readonly campaignId: string; readonly digest: string };

export const RESPONSE_CHANGE_FORMAT: ChangeFormat<FeedRow> = {
  items: (changes) => changes.map((change) => JSON.stringify(responseChange(change))).join(','),
  lines: (changes) =>
    changes
      .map((change) => `${JSON.stringify({ ...responseChange(change), cursor: change.cursor })}\n`)
      .join(''),
  end: ({ nextCursor, hasMore }) => ({ next_cursor: nextCursor, has_more: hasMore }),
};

function responseChange(item: Change<FeedRow>): ResponseChange {
  switch (item.op) {
    case 'upsert': {
      const { change, row } = item;
      return {
        op: 'upsert',
        change,
        key: { identifier: row.identifier },
        survey_campaign_id: row.campaignId,
        digest: row.digest,
        row: surveyResponse(row),
      };
    }
    case 'delete':
      return { op: 'delete', change: item.change, key: JSON.parse(item.key) as { identifier: string } };
    case 'resync':
      throw new Error('the feed of survey responses has no resyncs');
  }
}
