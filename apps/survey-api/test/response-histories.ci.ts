import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { ChangeAnswers, ChangeFeed, ChangeWatch, hexDigest, rowDigest } from '@cxp/change-feed';
import { withOrganizationLock } from '@cxp/records';
import { runs } from '@cxp/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { instantsOf } from '../src/calendar/day-window';
import {
  RESPONSE_CHANGE_FORMAT,
  type ResponseChange,
  type ResponseChangePageResponse,
} from '../src/response-changes/response-change.dto';
import { ResponseDigestReadModel } from '../src/response-changes/response-digest.read-model';
import { type FeedRow, RESPONSE_FEED } from '../src/responses/response-fields';
import { campaignRecord, responseRecord } from './records';
import { openSurveyDatabase, pageOf, surveyRecords, wrongBuckets } from './survey-database';

const HISTORIES = runs(17);
const WRITERS = 4;
const WINDOW = instantsOf({ startDate: '2026-01-01', endDate: '2026-12-31' });

let dataSource: DataSource;
let close: () => Promise<void>;
let answers: ChangeAnswers<FeedRow>;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  const watch = new ChangeWatch(dataSource.manager, 'survey');
  answers = new ChangeAnswers(new ChangeFeed(dataSource.manager, RESPONSE_FEED, watch));
});
afterAll(() => close());

/** Records that one writer stores in one transaction. */
interface Batch {
  readonly records: readonly Step[];
  /** Whether its connection is killed before it commits, as by kill -9. */
  readonly isKilled: boolean;
}

type Step =
  | {
      readonly kind: 'response';
      readonly response: number;
      readonly campaign: number;
      readonly day: number;
      readonly name: string;
    }
  | { readonly kind: 'removal'; readonly response: number }
  | { readonly kind: 'campaign'; readonly campaign: number; readonly status: 'active' | 'deleted' };

const RESPONSES = 10;
const CAMPAIGNS = 3;
const response = fc.nat(RESPONSES - 1);
const campaign = fc.nat(CAMPAIGNS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('response' as const),
      response,
      campaign,
      day: fc.integer({ min: 1, max: 3 }),
      name: fc.constantFrom('a', 'b'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('removal' as const), response }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('campaign' as const),
      campaign,
      status: fc.constantFrom('active' as const, 'deleted' as const),
    }),
  },
);
const batch: fc.Arbitrary<Batch> = fc.record({
  records: fc.array(step, { minLength: 1, maxLength: 6 }),
  isKilled: fc.boolean().map((killed) => killed),
});
const history = fc.array(fc.array(batch, { minLength: 1, maxLength: 3 }), {
  minLength: WRITERS,
  maxLength: WRITERS,
});

/** One organization with its ids, and a copy that follows it. */
class World {
  readonly organization = randomUUID();
  private readonly responseIds = Array.from({ length: RESPONSES }, () => randomUUID());
  private readonly campaignIds = Array.from({ length: CAMPAIGNS }, () => randomUUID());
  private readonly copy = new Map<string, Extract<ResponseChange, { op: 'upsert' }>>();
  private cursor: string | undefined;

  async write({ records, isKilled }: Batch): Promise<void> {
    const { name } = surveyRecords;
    const store = withOrganizationLock(dataSource, name, this.organization, async (manager) => {
      const lines = records.map((record) => ({ line: 1, ...this.record(record) }));
      await surveyRecords.store(manager, this.organization, lines as never);
      if (isKilled) await killOwnConnection(manager);
    });
    await (isKilled ? store.catch(() => undefined) : store);
  }

  private record(step: Step): object {
    switch (step.kind) {
      case 'response': {
        const data = responseRecord({
          identifier: this.responseIds[step.response],
          survey_campaign_id: this.campaignIds[step.campaign],
          sent_timestamp: `2026-01-0${step.day}T00:00:00.000Z`,
          user_name: step.name,
        });
        return { type: 'survey_response', op: 'upsert', data };
      }
      case 'removal':
        return {
          type: 'survey_response',
          op: 'delete',
          data: { identifier: this.responseIds[step.response] },
        };
      case 'campaign': {
        const data = campaignRecord({ id: this.campaignIds[step.campaign], status: step.status });
        return { type: 'survey_campaign', op: 'upsert', data };
      }
    }
  }

  /** Applies what the feed answers until there is nothing more. */
  async follow(limit: number): Promise<void> {
    for (let more = true; more;) {
      const asked = { cursor: this.cursor, limit };
      const text = await answers.page(this.organization, asked, () => RESPONSE_CHANGE_FORMAT);
      const page = JSON.parse(text.toString()) as ResponseChangePageResponse;
      for (const item of page.items) {
        if (item.op === 'upsert') this.copy.set(item.key.identifier, item);
        else this.copy.delete(item.key.identifier);
      }
      this.cursor = page.next_cursor;
      more = page.has_more;
    }
  }

  /** The copy equals what C2 lists, and every digest. */
  async verify(): Promise<void> {
    const listed = new Map<string, object>();
    for (const id of this.campaignIds) {
      const page = { offset: 0, limit: 100 };
      const window = { campaignId: id, ...WINDOW };
      const { total, items } = await pageOf(dataSource, this.organization, window, page);
      expect(items).toHaveLength(total);
      for (const { tags: _, ...row } of items) {
        listed.set(row.identifier, { campaign: id, row: JSON.parse(JSON.stringify(row)) });
      }
    }
    const copied = [...this.copy].map(
      ([id, { survey_campaign_id, row }]) => [id, { campaign: survey_campaign_id, row }] as const,
    );
    expect(new Map(copied)).toEqual(listed);

    // The last change of each key, and of no other.
    const doubled = await dataSource.query<unknown[]>(
      `SELECT FROM survey.response JOIN survey.change_removal AS removal USING (organization_id)
       WHERE organization_id = $1 AND removal.key::json ->> 'identifier' = identifier::text`,
      [this.organization],
    );
    expect(doubled).toEqual([]);

    expect(await wrongBuckets(dataSource, this.organization)).toEqual([]);
    const own = new Map<string, bigint>();
    for (const { key, survey_campaign_id, row, digest } of this.copy.values()) {
      const computed = rowDigest({ key, survey_campaign_id, row });
      expect(digest).toBe(hexDigest(computed));
      const day = `${survey_campaign_id} ${row.sent_timestamp!.slice(0, 10)}`;
      own.set(day, (own.get(day) ?? 0n) ^ computed);
    }
    const window = { campaignId: undefined, ...WINDOW };
    const { items } = await new ResponseDigestReadModel(dataSource.manager).ofDays(this.organization, window);
    expect(new Map(items.map((item) => [`${item.survey_campaign_id} ${item.date}`, item.digest]))).toEqual(
      new Map([...own].map(([day, digest]) => [day, hexDigest(digest)])),
    );
  }
}

async function killOwnConnection(manager: EntityManager): Promise<void> {
  await manager.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
}

describe('a copy that follows the changes', () => {
  it(
    `equals the listing and every digest after ${HISTORIES} random histories of ${WRITERS} writers`,
    async () => {
      await fc.assert(
        fc.asyncProperty(history, fc.integer({ min: 1, max: 5 }), async (writers, limit) => {
          const world = new World();
          let isWriting = true;
          const following = (async () => {
            while (isWriting) await world.follow(limit);
          })();
          await Promise.all(
            writers.map(async (batches) => {
              for (const each of batches) await world.write(each);
            }),
          );
          isWriting = false;
          await following;
          await world.follow(limit);
          await world.verify();
        }),
        { numRuns: HISTORIES },
      );
    },
    HISTORIES * 12_000 + 60_000,
  );
});
