import { randomUUID } from 'node:crypto';
import { rebuildBuckets } from '@cxp/change-feed';
import { blocksReadBy, needs } from '@cxp/testing';
import type { DataSource } from 'typeorm';
import { surveyErasure } from '../src/erasure/survey-erasure';
import { ResponseDigestReadModel } from '../src/response-changes/response-digest.read-model';
import { expiredResponses } from '../src/retention/expired-responses';
import { ResponseReadModel, RESPONSES } from '../src/responses/response.read-model';
import { ResponseRepository } from '../src/responses/response.repository';
import { openSurveyDatabase, pageOf } from './survey-database';

/** The blocks that a coordinator reads say nothing of a cluster. */
const { it, describe } = needs('PostgreSQL alone', !process.env.CITUS_URL);

const COUNT = 100_000;
const KEYS = 100;
const ORGANIZATION = 'large';

let dataSource: DataSource;
let close: () => Promise<void>;
const campaignId = randomUUID();

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  // What it reads meanwhile would be counted with the blocks of a statement.
  for (const table of ['response', 'bucket']) {
    await dataSource.query(`ALTER TABLE survey.${table} SET (autovacuum_enabled = false)`);
  }
  await dataSource.query(
    `WITH campaign AS (
       INSERT INTO survey.campaign (organization_id, id, status) VALUES ($1, $2, 'active')
     )
     INSERT INTO survey.response (
       organization_id, identifier, campaign_id, sent_at, source, tags, change, digest,
       user_phone, user_email, metadata_mappings, person_keys
     )
     SELECT $1, gen_random_uuid(), $2, to_timestamp(1.75e9 + 100 * n), 'web', '[]', n, n,
       CASE WHEN n % 20 = 0 THEN '+84 90 ' || n END,
       CASE WHEN n % 20 = 1 THEN 'C' || n || '@example.com' END,
       CASE WHEN n % 20 = 2 THEN json_build_object('customer', n::text, 'store', 'Hà Nội 01') END,
       -- As personKeysOfResponse computes them.
       CASE n % 20
         WHEN 0 THEN ARRAY['p+8490' || n]
         WHEN 1 THEN ARRAY['ec' || n || '@example.com']
         WHEN 2 THEN ARRAY['p' || n, 'e' || n]
         ELSE '{}'
       END
     FROM generate_series(1, $3::int) AS n`,
    [ORGANIZATION, campaignId, COUNT],
  );
  await dataSource.transaction((manager) => rebuildBuckets(manager, RESPONSES, ORGANIZATION));
  await dataSource.query('VACUUM ANALYZE survey.response, survey.bucket');
});
afterAll(() => close());

/** PostgreSQL would otherwise go through an index, or a table, that has thousands of blocks. */
describe('however many responses the organization has', () => {
  it('the responses of a page of the export are found by their keys', async () => {
    const rows = await dataSource.query<{ identifier: string }[]>(
      'SELECT identifier FROM survey.response ORDER BY identifier LIMIT $1',
      [KEYS],
    );
    const identifiers = rows.map(({ identifier }) => identifier);
    const responses = new ResponseReadModel(dataSource.manager);
    const blocks = await blocksReadBy(dataSource, () =>
      responses.read(ORGANIZATION, campaignId, identifiers),
    );
    expect(blocks).toBeLessThan(6 * KEYS);
  });

  it('the last page of the list costs what the first one does', async () => {
    const window = { campaignId, from: new Date(0), before: new Date('2100-01-01T00:00:00+07:00') };
    const readPage = (offset: number) =>
      blocksReadBy(dataSource, async () => {
        const { total, items } = await pageOf(dataSource, ORGANIZATION, window, { offset, limit: 10 });
        expect([total, items.length]).toEqual([COUNT, 10]);
      });
    const [first, last] = [await readPage(0), await readPage(COUNT - 10)];
    expect(first).toBeLessThan(500);
    expect(last).toBeLessThan(1.2 * first);
  });

  it.each([KEYS, 1_000, 5_000])('%d responses that are removed are found by their keys', async (count) => {
    const identifiers = Array.from({ length: count }, () => randomUUID());
    const repository = new ResponseRepository(dataSource.manager);
    const before = await tuplesRead();
    const blocks = await blocksReadBy(dataSource, () =>
      repository.removeAll(ORGANIZATION, identifiers, 'removed'),
    );
    expect(blocks).toBeLessThan(6 * count);
    // It is none of them.
    expect((await tuplesRead()) - before).toBeLessThan(count);
  });

  it('the responses of a person are found by their identifiers', async () => {
    const unknown = Array.from({ length: 10 }, (_, n) => `nobody-${n}@example.com`);
    const subject = { userIds: [], phones: ['+8490400'], emails: ['c401@example.com', '402', ...unknown] };
    const erasure = surveyErasure(dataSource);
    const blocks = await blocksReadBy(dataSource, async () => {
      const found: object[] = [];
      for await (const some of erasure.count(dataSource.manager, ORGANIZATION, subject)) found.push(some);
      expect(found).toEqual([{ responses: 3, metadataValues: 0 }]);
    });
    expect(blocks).toBeLessThan(200);
  });

  it('the responses that have expired are found by their times', async () => {
    const before = new Date((1.75e9 + 100 * 50) * 1000);
    const found: number[] = [];
    const blocks = await blocksReadBy(dataSource, async () => {
      const expired = expiredResponses(dataSource).find(dataSource.manager, before);
      for await (const { ids } of expired) found.push(ids.length);
    });
    expect(found).toEqual([49]);
    expect(blocks).toBeLessThan(200);
  });

  it('the digests of a day are made of its buckets', async () => {
    const digests = new ResponseDigestReadModel(dataSource.manager);
    const from = new Date('2025-10-01T00:00:00+07:00');
    const before = new Date('2025-10-02T00:00:00+07:00');
    const blocks = await blocksReadBy(dataSource, async () => {
      const { items } = await digests.ofDays(ORGANIZATION, { campaignId: undefined, from, before });
      expect(items).toMatchObject([{ survey_campaign_id: campaignId, date: '2025-10-01', rows: 864 }]);
    });
    expect(blocks).toBeLessThan(20);
  });
});

/** Rows and index entries that were read of responses so far. */
async function tuplesRead(): Promise<number> {
  await dataSource.query('SELECT pg_stat_force_next_flush()');
  const [{ tuples }] = await dataSource.query<[{ tuples: string }]>(
    `SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS tuples FROM pg_stat_user_tables WHERE relname = 'response'`,
  );
  return Number(tuples);
}
