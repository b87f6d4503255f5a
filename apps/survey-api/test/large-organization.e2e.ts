import { randomBytes, randomUUID } from 'node:crypto';
import { ChangeFeed, ChangeWatch, rebuildBuckets } from '@cxp/change-feed';
import { blocksReadBy, needs } from '@cxp/testing';
import type { DataSource } from 'typeorm';
import { surveyEraser } from '../src/erasure/survey-eraser';
import { ResponseDigestReadModel } from '../src/response-changes/response-digest.read-model';
import { expiredResponses } from '../src/retention/expired-responses';
import { ResponseReadModel, RESPONSES } from '../src/responses/response.read-model';
import { ResponseRepository } from '../src/responses/response.repository';
import { CampaignListReadModel } from '../src/campaigns/campaign-list.read-model';
import { LinkRepository, mappingKey } from '../src/links/link.repository';
import { withoutErased } from '../src/responses/erased-responses';
import { RESPONSE_FEED } from '../src/responses/response-fields';
import { LinkedSurveyReadModel, metadataOfLinks } from '../src/survey-pages/linked-survey.read-model';
import { responseRecord } from './records';
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
    const eraser = surveyEraser(dataSource);
    const blocks = await blocksReadBy(dataSource, async () => {
      const found: object[] = [];
      for await (const some of eraser.count(dataSource.manager, ORGANIZATION, subject)) found.push(some);
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

/** PostgreSQL keeps the plan of a statement that a process has run several times, until the table is analyzed. */
describe('in a process whose tables were empty', () => {
  const [OWN, CAMPAIGN, OTHER] = ['own', randomUUID(), randomUUID()];
  const PUBLIC_ID = 'A'.repeat(22);
  const mapping = [
    { metadata_id: 1, value: 'Hà Nội' },
    { metadata_id: 2, value: 17 },
  ];
  let young: Awaited<ReturnType<typeof openSurveyDatabase>>;
  let calls: Record<string, () => Promise<unknown>>;

  beforeAll(async () => {
    young = await openSurveyDatabase();
    const { dataSource: database } = young;
    // As in services. All statements are run by one connection.
    await database.query('SET enable_seqscan = off');
    const { manager } = database;
    const key = { organizationId: OWN, campaignId: CAMPAIGN, mapping, hash: await mappingKey(mapping) };
    const [links, pages, responses] = [
      new LinkRepository(manager),
      new LinkedSurveyReadModel(manager),
      new ResponseRepository(manager),
    ];
    const watch = new ChangeWatch(manager, 'survey');
    const feed = new ChangeFeed(manager, RESPONSE_FEED, watch);
    const window = { campaignId: OTHER, from: new Date(0), before: new Date('2100-01-01T00:00:00+07:00') };
    const record = () => responseRecord({ survey_campaign_id: CAMPAIGN });
    calls = {
      'C1: a page': () => new CampaignListReadModel(manager).page(OWN, {}, { offset: 0, limit: 10 }),
      'C2: a page': () => new ResponseReadModel(manager).list(OWN, window, { offset: 0, limit: 10 }),
      'C3: a page': () =>
        new ResponseReadModel(manager).read(
          OWN,
          CAMPAIGN,
          Array.from({ length: 50 }, () => randomUUID()),
        ),
      'C4: a link': () => links.find(key, 50),
      'C4: a new link': () => links.create({ ...key, hash: randomBytes(32) }, 'x', 1_000),
      'a survey page': () => pages.find(PUBLIC_ID),
      'the metadata of its answer': () => metadataOfLinks(manager, OWN, [PUBLIC_ID]),
      'its answer': () => responses.add(OWN, [record()]),
      'a record': () => responses.storeAll(OWN, [record()]),
      'erased keys': () => withoutErased(manager, OWN, [{ data: record() }]),
      'the feed': () => feed.page(OWN, { limit: 10 }),
    };
    for (const table of [
      'campaign',
      'metadata_field',
      'link',
      'link_count',
      'link_address',
      'response',
      'bucket',
      'erased_key',
      'change_removal',
    ]) {
      await database.query(`ALTER TABLE survey.${table} SET (autovacuum_enabled = false)`);
    }
    for (let runs = 0; runs < 6; runs++) {
      for (const call of Object.values(calls)) await call();
    }
    const grow = (sql: string, ...values: unknown[]) => database.query(`INSERT INTO survey.${sql}`, values);
    for (const organization of [OWN, ...Array.from({ length: 9 }, (_, n) => `other ${n}`)]) {
      await grow(
        `metadata_field (organization_id, id, name, variable)
        SELECT $1, n, 'field', 'field ' || n FROM generate_series(1, 2000) AS n`,
        organization,
      );
      await grow(
        `campaign (organization_id, id, status, questions) SELECT $1, gen_random_uuid(), 'draft', '[]' FROM generate_series(1, 1000)`,
        organization,
      );
      await grow(
        `link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping)
        SELECT $1, $2, sha256(n::text::bytea), 'B' || n, 'x', '[]' FROM generate_series(1, 10000) AS n`,
        organization,
        CAMPAIGN,
      );
      await grow(
        `link_count (organization_id, campaign_id, links) SELECT $1, gen_random_uuid(), 1 FROM generate_series(1, 1000)`,
        organization,
      );
      await grow(
        `erased_key (organization_id, type, id) SELECT $1, 'survey_response', gen_random_uuid() FROM generate_series(1, 10000)`,
        organization,
      );
      await grow(
        `change_removal (organization_id, op, key, change) SELECT $1, 'delete', gen_random_uuid(), 1000000 + n FROM generate_series(1, 10000) AS n`,
        organization,
      );
      await grow(
        `response (organization_id, identifier, campaign_id, sent_at, tags, change, digest)
        SELECT $1, gen_random_uuid(), $2, to_timestamp(1.75e9 + 100 * n), '[]', 1000 + n, n FROM generate_series(1, 10000) AS n`,
        organization,
        OTHER,
      );
      await database.transaction((one) => rebuildBuckets(one, RESPONSES, organization));
    }
    await grow(
      `campaign (organization_id, id, status, questions) VALUES ($1, $2, 'active', '[]')
        ON CONFLICT (organization_id, id) DO UPDATE SET status = EXCLUDED.status`,
      OWN,
      CAMPAIGN,
    );
    await grow(
      `link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping) VALUES ($1, $2, $3, $4, 'x', $5)`,
      OWN,
      CAMPAIGN,
      key.hash,
      PUBLIC_ID,
      JSON.stringify(mapping),
    );
    await grow(`link_address (organization_id, public_id) VALUES ($1, $2)`, OWN, PUBLIC_ID);
  });
  afterAll(() => young.close());

  it('calls read as little as they do once the tables are analyzed', async () => {
    const blocksOfAll = async () => {
      const blocks: [name: string, blocks: number][] = [];
      for (const [name, call] of Object.entries(calls)) {
        blocks.push([name, await blocksReadBy(young.dataSource, call)]);
      }
      return blocks;
    };
    const kept = await blocksOfAll();
    await young.dataSource.query('ANALYZE');
    await blocksOfAll();
    const planned = new Map(await blocksOfAll());
    expect(kept.filter(([name, blocks]) => blocks > 1.5 * planned.get(name)!)).toEqual([]);
  });

  it('statements that are prepared are not planned for each run', async () => {
    const planned = await young.dataSource.query<object[]>(
      'SELECT statement FROM pg_prepared_statements WHERE generic_plans = 0 AND custom_plans > 5',
    );
    expect(planned).toEqual([]);
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
