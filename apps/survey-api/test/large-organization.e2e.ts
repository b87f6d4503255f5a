import { randomUUID } from 'node:crypto';
import { blocksReadBy } from '@cxp/testing';
import type { DataSource } from 'typeorm';
import { ExportedResponseReadModel } from '../src/response-export/exported-response.read-model';
import { ResponseDigestReadModel } from '../src/response-changes/response-digest.read-model';
import { ResponseRepository } from '../src/responses/response.repository';
import { openSurveyDatabase } from './survey-database';

const RESPONSES = 200_000;
const KEYS = 100;
const ORGANIZATION = 'large';

let dataSource: DataSource;
let close: () => Promise<void>;
const campaignId = randomUUID();

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  await dataSource.query(
    `WITH campaign AS (
       INSERT INTO survey.campaign (organization_id, id, name, searchable_name, status, touchpoints, questions)
       VALUES ($1, $2, '', '', 'active', '[]', '[]')
     )
     INSERT INTO survey.response (
       organization_id, identifier, campaign_id, sent_at, source, tags, change, feed_change, announced_change, digest
     )
     SELECT $1, gen_random_uuid(), $2, to_timestamp(1.75e9 + 100 * n), 'web', '[]', n, n, n, n
     FROM generate_series(1, $3::int) AS n`,
    [ORGANIZATION, campaignId, RESPONSES],
  );
  await dataSource.query('VACUUM ANALYZE survey.response');
});
afterAll(() => close());

/** PostgreSQL would otherwise go through an index, or a table, that has thousands of blocks. */
describe('however many responses the organization has', () => {
  it('the responses of a page of the export are found by their keys', async () => {
    const responses = await dataSource.query<{ identifier: string }[]>(
      'SELECT identifier FROM survey.response ORDER BY identifier LIMIT $1',
      [KEYS],
    );
    const identifiers = responses.map(({ identifier }) => identifier);
    const exported = new ExportedResponseReadModel(dataSource.manager);
    const blocks = await blocksReadBy(dataSource, () =>
      exported.readPage(ORGANIZATION, campaignId, identifiers),
    );
    expect(blocks).toBeLessThan(10 * KEYS);
  });

  it('responses that are removed are found by their keys', async () => {
    const identifiers = Array.from({ length: KEYS }, () => randomUUID());
    const repository = new ResponseRepository(dataSource.manager);
    const blocks = await blocksReadBy(dataSource, () => repository.removeAll(ORGANIZATION, identifiers));
    expect(blocks).toBeLessThan(10 * KEYS);
  });

  it('the digests of a day are made of the responses of the day', async () => {
    const digests = new ResponseDigestReadModel(dataSource.manager);
    const from = new Date('2025-10-01T00:00:00+07:00');
    const before = new Date('2025-10-02T00:00:00+07:00');
    const blocks = await blocksReadBy(dataSource, async () => {
      const { items } = await digests.ofDays(ORGANIZATION, { campaignId: undefined, from, before });
      expect(items).toMatchObject([{ survey_campaign_id: campaignId, date: '2025-10-01', rows: 864 }]);
    });
    expect(blocks).toBeLessThan(200);
  });
});
