import { Inject, Injectable } from '@nestjs/common';
import { ChangeFeed, changesJson, digestsJson, type Change, type PageRequest } from '@cxp/change-feed';
import { ProblemError } from '@cxp/error-envelopes';
import { ReadStore } from '@cxp/storage';
import { surveyResponse } from '../responses/response.dto';
import type { SurveyResponse } from '../responses/survey-response';
import type { ResponseChange } from './response-change.dto';
import { ResponseDigestReadModel, type DigestWindow } from './response-digest.read-model';

/** A response in the feed. */
type FeedRow = SurveyResponse & { readonly campaignId: string; readonly digest: string };

@Injectable()
export class ResponseChangeService {
  constructor(
    @Inject(ChangeFeed) private readonly feed: ChangeFeed<FeedRow>,
    private readonly store: ReadStore,
  ) {}

  /**
   * @returns the answer as JSON, piece by piece
   * @throws ProblemError 422 if the cursor was not issued for this organization and feed, 410 if it is expired
   */
  async *page(organizationId: string, request: PageRequest): AsyncGenerator<string | Buffer> {
    yield* changesJson(
      await this.feed.page(organizationId, request),
      (items) => items.map((item) => JSON.stringify(responseChange(item))).join(','),
      ({ nextCursor, hasMore }) => ({ next_cursor: nextCursor, has_more: hasMore }),
    );
  }

  /**
   * All changes after the cursor as lines of JSON, some at a time, each with a cursor of its own.
   * @throws ProblemError as `page`
   */
  async stream(organizationId: string, cursor: string | undefined): Promise<AsyncIterable<string>> {
    const batches = await this.feed.stream(organizationId, cursor);
    return (async function* () {
      for await (const changes of batches) {
        yield changes
          .map((change) => `${JSON.stringify({ ...responseChange(change), cursor: change.cursor })}\n`)
          .join('');
      }
    })();
  }

  /**
   * @returns the answer as JSON, piece by piece
   * @throws ProblemError 422 if the window holds too much
   */
  async *digests(organizationId: string, window: DigestWindow): AsyncGenerator<string | Buffer> {
    const last = await this.feed.lastChange(organizationId);
    const digests = await this.store.read(async (manager) => {
      const digests = await new ResponseDigestReadModel(manager).ofDays(organizationId, window);
      // Of a replica, whose responses a follower may be ahead of.
      if (digests.change < last) throw new ProblemError({ code: 'dependency_unavailable' });
      return digests;
    });
    yield* digestsJson(digests);
  }
}

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
