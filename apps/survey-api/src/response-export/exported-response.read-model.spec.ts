import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { campaignRecord, responseRecord } from '../../test/records';
import { exportPool, openSurveyDatabase, storeRecords } from '../../test/survey-database';
import { instantsOf } from '../responses/day-window';
import type { ResponseRecord } from '../responses/response.repository';
import type { ExportPool } from './export-pool';
import { ExportedResponseReadModel, type ExportedResponses } from './exported-response.read-model';

let dataSource: DataSource;
let close: () => Promise<void>;
let pool: ExportPool;
let readModel: ExportedResponseReadModel;
let organization: string;
let campaign: string;

beforeAll(async () => {
  let url: string;
  ({ dataSource, url, close } = await openSurveyDatabase());
  pool = exportPool(url, { SURVEY_EXPORT_POOL_SIZE: 2 });
  readModel = new ExportedResponseReadModel(pool);
});
afterAll(async () => {
  await pool.end();
  await close();
});

beforeEach(async () => {
  organization = randomUUID();
  campaign = randomUUID();
  await storeRecords(dataSource, organization, 'survey_campaign', [campaignRecord({ id: campaign })]);
});

const store = (...records: ResponseRecord[]) =>
  storeRecords(dataSource, organization, 'survey_response', records);
const response = (parts: Partial<ResponseRecord> = {}) =>
  responseRecord({ survey_campaign_id: campaign, ...parts });

function open({ limit = 5000, after }: { limit?: number; after?: number } = {}): Promise<ExportedResponses> {
  const days = { startDate: '2026-01-01', endDate: '2026-01-31' };
  return readModel.open({
    window: { organizationId: organization, campaignId: campaign, ...instantsOf(days) },
    limit,
    after,
  });
}

async function readAll(exported: ExportedResponses): Promise<string[]> {
  const identifiers = [];
  for await (const { identifier } of exported.responses) identifiers.push(identifier);
  exported.close();
  return identifiers;
}

function backends(condition = 'true'): Promise<{ pid: number }[]> {
  return dataSource.query(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'survey-api export' AND ${condition}`,
  );
}

/** Tries again until it holds: a backend ends a moment after its connection. */
async function eventually(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise(setImmediate);
}

describe('ExportedResponseReadModel', () => {
  it('says how many responses the window holds, and whether the limit leaves some out', async () => {
    await store(
      ...Array.from({ length: 3 }, () => response()),
      response({ sent_timestamp: '2026-02-01T00:00:00.000Z' }),
    );
    for (const [limit, truncated] of [
      [4, false],
      [3, false],
      [2, true],
    ] as const) {
      const exported = await open({ limit });
      expect(exported).toMatchObject({ total: 3, truncated, lastChange: undefined });
      expect(await readAll(exported)).toHaveLength(Math.min(limit, 3));
    }
  });

  it('reads what was there when it was opened, whatever arrives meanwhile', async () => {
    const records = Array.from({ length: 300 }, () => response());
    await store(...records);
    const exported = await open();
    await store(response({ sent_timestamp: '2026-01-01T00:00:00.000Z' }));
    await store({ ...records[299]!, survey_campaign_id: randomUUID() });
    expect(exported.total).toBe(300);
    expect((await readAll(exported)).sort()).toEqual(records.map(({ identifier }) => identifier).sort());
  });

  it('follows changes with the number of the last one, neither losing nor repeating any', async () => {
    const records = Array.from({ length: 5 }, () => response());
    await store(...records);
    const first = await open({ after: 0, limit: 2 });
    expect(first).toMatchObject({ total: 5, truncated: true, lastChange: 2 });
    const seen = await readAll(first);

    await store(records[0]!, { ...records[1]!, user_name: 'Hà' });
    const second = await open({ after: first.lastChange, limit: 10 });
    expect(second).toMatchObject({ total: 5, truncated: false, lastChange: 6 });
    expect([...seen, ...(await readAll(second))].sort()).toEqual(
      [...records, records[1]!].map(({ identifier }) => identifier).sort(),
    );

    const nothing = await open({ after: second.lastChange });
    expect(nothing).toMatchObject({ truncated: false, lastChange: 6 });
    expect(await readAll(nothing)).toEqual([]);
  });

  it('ends the query when it is closed midway, before the first row too, and takes the next export', async () => {
    await store(...Array.from({ length: 500 }, () => response()));
    for (let reader = 0; reader < 10; reader += 1) {
      const exported = await open();
      if (reader % 2 === 0) for await (const _ of exported.responses) break;
      exported.close();
      exported.close();
    }
    await eventually(async () => (await backends()).length === 0);
    expect(await readAll(await open())).toHaveLength(500);
    await eventually(async () => (await backends(`state <> 'idle'`)).length === 0);
  });

  it('fails, and does not wait for ever, when the database goes away midway', async () => {
    await store(...Array.from({ length: 500 }, () => response()));
    const exported = await open();
    const [backend] = await backends(`state <> 'idle'`);
    const reading = (async () => {
      for await (const _ of exported.responses) {
        await dataSource.query('SELECT pg_terminate_backend($1)', [backend!.pid]);
      }
    })();
    await expect(reading).rejects.toThrow(/terminat/i);
    exported.close();
    expect(await readAll(await open())).toHaveLength(500);
  });
});
