import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { withOrganizationLock } from '@cxp/records';
import { runs } from '@cxp/testing';
import type { DataSource } from 'typeorm';
import { campaignRecord, responseRecord } from '../../test/records';
import { openSurveyDatabase, pageOf, wrongBuckets } from '../../test/survey-database';
import { instantsOf } from '../calendar/day-window';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { CampaignListReadModel } from '../campaigns/campaign-list.read-model';
import type { ResponseRecord } from './response-fields';
import { ResponseReadModel, type ResponseWindow } from './response.read-model';
import { ResponseRepository } from './response.repository';

let dataSource: DataSource;
let close: () => Promise<void>;
let campaigns: CampaignRepository;
let responses: ResponseReadModel;
let organization: string;
let campaign: string;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  campaigns = new CampaignRepository(dataSource.manager);
  responses = new ResponseReadModel(dataSource.manager);
});

afterAll(() => close());

beforeEach(() => {
  organization = randomUUID();
  campaign = randomUUID();
});

/** Within the transaction and under the lock that every intake takes. */
function store(records: ResponseRecord[]): Promise<void> {
  return withOrganizationLock(dataSource, 'survey', organization, (manager) =>
    new ResponseRepository(manager).storeAll(organization, records),
  );
}

const response = (parts: Partial<ResponseRecord> = {}) =>
  responseRecord({ survey_campaign_id: campaign, ...parts });

function windowOf(startDate: string, endDate: string, parts: Partial<ResponseWindow> = {}): ResponseWindow {
  return { campaignId: campaign, ...instantsOf({ startDate, endDate }), ...parts };
}

const january = () => windowOf('2026-01-01', '2026-01-31');

async function identifiersOf(window: ResponseWindow, page = { offset: 0, limit: 100 }): Promise<string[]> {
  return (await pageOf(dataSource, organization, window, page)).items.map(({ identifier }) => identifier);
}

async function count(window: ResponseWindow): Promise<number> {
  return (await pageOf(dataSource, organization, window, { offset: 0, limit: 1 })).total;
}

async function exported(window: ResponseWindow, limit = 1_000_000): Promise<readonly string[]> {
  return (await responses.select(organization, window, { offset: 0, limit })).identifiers;
}

describe('ResponseRepository', () => {
  it('replaces a response whole, and keeps the last of several records in one batch', async () => {
    const record = response({ user_name: 'First', tags: ['old'] });
    await store([record]);
    await store([
      { ...record, user_name: 'Second' },
      response({ identifier: record.identifier, user_name: 'Third' }),
    ]);
    expect(await count(january())).toBe(1);
    expect(await responses.read(organization, campaign, [record.identifier])).toMatchObject([
      { user_name: 'Third', tags: [] },
    ]);
  });

  it('moves a response to another day or campaign, and counts it there only', async () => {
    const record = response();
    const other = randomUUID();
    await store([record, response({ sent_timestamp: '2026-01-20T00:00:00.000Z' })]);
    await store([{ ...record, sent_timestamp: '2026-02-05T00:00:00.000Z' }]);
    expect(await count(january())).toBe(1);
    expect(await identifiersOf(windowOf('2026-02-05', '2026-02-05'))).toEqual([record.identifier]);

    await store([{ ...record, survey_campaign_id: other, answered_timestamp: '2026-02-05T00:00:00.000Z' }]);
    expect(await count(windowOf('2026-01-01', '2026-12-31'))).toBe(1);
    expect(await identifiersOf({ ...january(), campaignId: other })).toEqual([record.identifier]);
  });

  it('ignores a record that is older than what is stored, or than one before it in its batch; an equal one replaces', async () => {
    const sent = response({ sent_timestamp: '2026-01-10T00:00:00.000Z', user_name: 'sent' });
    const opened = { ...sent, opened_timestamp: '2026-01-11T00:00:00.000Z', user_name: 'opened' };
    const answered = { ...opened, answered_timestamp: '2026-01-12T00:00:00.000Z', user_name: 'answered' };
    const nameOf = async () =>
      (await responses.read(organization, campaign, [sent.identifier]))[0]?.user_name;
    await store([answered, opened, sent]);
    expect(await nameOf()).toBe('answered');
    await store([opened]);
    await store([sent, opened]);
    expect(await nameOf()).toBe('answered');
    await store([{ ...answered, sent_timestamp: null, user_name: 'equal' }]);
    expect(await nameOf()).toBe('equal');
    await store([sent, { ...answered, user_name: 'the last of three' }, opened]);
    expect(await nameOf()).toBe('the last of three');
  });

  it('notes the interactions of records that others of their batch replace, but of none that is older than what is stored', async () => {
    const [other, third] = [randomUUID(), randomUUID()];
    const ids = [campaign, other, third];
    await campaigns.storeAll(
      organization,
      ids.map((id) => campaignRecord({ id })),
    );
    const expectNoted = async () => {
      const list = new CampaignListReadModel(dataSource.manager);
      const { items } = await list.page(organization, { statuses: ['active'] }, { offset: 0, limit: 3 });
      const days = new Map(
        items.map((item) => [item.id, item.last_interacted_at?.toISOString().slice(0, 10)]),
      );
      expect(ids.map((id) => days.get(id))).toEqual(['2026-01-10', '2026-01-10', undefined]);
    };
    const record = response({ sent_timestamp: '2026-01-10T00:00:00.000Z' });
    await store([record, { ...record, survey_campaign_id: other }]);
    await expectNoted();
    const older = { ...record, survey_campaign_id: third, sent_timestamp: '2026-01-09T00:00:00.000Z' };
    await store([older]);
    await store([older, record]);
    await expectNoted();
  });

  it('counts exactly under concurrent batches of the same responses', async () => {
    const records = Array.from({ length: 200 }, (_, day) =>
      response({ sent_timestamp: new Date(Date.UTC(2026, 0, 1 + (day % 20))).toISOString() }),
    );
    await Promise.all([
      store(records),
      store([...records].reverse()),
      store(records.slice(50, 150)),
      store(records),
    ]);
    expect(await count(january())).toBe(200);
    expect(new Set(await identifiersOf(january(), { offset: 0, limit: 500 })).size).toBe(200);
  });
});

describe('ResponseReadModel', () => {
  it('reads the selected ones in their order, as they are by then, without those that have left the campaign', async () => {
    const [first, left, last] = [3, 4, 5].map((day) =>
      response({ sent_timestamp: `2026-01-0${day}T00:00:00.000Z` }),
    ) as [ResponseRecord, ResponseRecord, ResponseRecord];
    await store([first, left, last]);
    const selected = await exported(january());
    await store([
      response({ sent_timestamp: '2026-01-01T00:00:00.000Z' }),
      { ...first, user_name: 'Hà', sent_timestamp: '2026-01-30T00:00:00.000Z' },
      { ...left, survey_campaign_id: randomUUID() },
    ]);
    const read = await responses.read(organization, campaign, selected);
    expect(read.map(({ identifier, user_name }) => [identifier, user_name])).toEqual([
      [first.identifier, 'Hà'],
      [last.identifier, null],
    ]);
    expect(await responses.read(randomUUID(), campaign, selected)).toEqual([]);
  });

  it('pages through large days exactly, also when responses share one instant, are added, moved and taken away', async () => {
    const instant = '2026-01-05T02:00:00.000Z';
    const crowd = Array.from({ length: 5000 }, () => response({ sent_timestamp: instant }));
    await store(crowd.slice(0, 3500));
    await store(crowd.slice(3500));
    const spread = Array.from({ length: 3000 }, (_, second) =>
      response({ sent_timestamp: new Date(Date.parse(instant) + second * 500_000).toISOString() }),
    );
    await store(spread);
    await store([
      ...crowd.slice(0, 700).map((record) => ({ ...record, sent_timestamp: '2026-01-04T20:00:00.000Z' })),
      ...spread.slice(0, 700).map((record) => ({ ...record, sent_timestamp: instant })),
      ...spread.slice(2900).map((record) => ({ ...record, survey_campaign_id: randomUUID() })),
    ]);

    const all = await exported(january());
    expect(all).toHaveLength(7900);
    for (const [offset, limit] of [
      [0, 10],
      [990, 20],
      [1999, 100],
      [4321, 100],
      [7899, 10],
      [7850, 100],
      [7900, 10],
    ] as const) {
      const { total, items } = await pageOf(dataSource, organization, january(), { offset, limit });
      expect(total).toBe(7900);
      expect(items.map(({ identifier }) => identifier)).toEqual(all.slice(offset, offset + limit));
    }
    expect(await wrongBuckets(dataSource, organization)).toEqual([]);
  });

  it('gives each page what a plain query gives, whatever was stored before', async () => {
    const identifiers = Array.from({ length: 30 }, () => randomUUID());
    const campaignIds = [randomUUID(), randomUUID()];
    const record = fc.record({
      identifier: fc.constantFrom(...identifiers),
      survey_campaign_id: fc.constantFrom(...campaignIds),
      sent_timestamp: fc
        .integer({ min: 0, max: 100 })
        .map((hours) => new Date(Date.UTC(2026, 0, 1, hours)).toISOString()),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(record, { minLength: 1, maxLength: 20 }), { maxLength: 5 }),
        async (batches) => {
          organization = randomUUID();
          for (const batch of batches) await store(batch.map((parts) => responseRecord(parts)));
          expect(await wrongBuckets(dataSource, organization)).toEqual([]);
          for (const campaignId of campaignIds) {
            const window = windowOf('2026-01-02', '2026-01-04', { campaignId });
            const all = await exported(window);
            const { total, items } = await pageOf(dataSource, organization, window, { offset: 3, limit: 5 });
            expect(total).toBe(all.length);
            expect(items.map(({ identifier }) => identifier)).toEqual(all.slice(3, 8));
          }
        },
      ),
      { numRuns: runs(5) },
    );
  });
});
