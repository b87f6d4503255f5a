import { DataSource } from 'typeorm';
import { migrate } from '@cxp/storage';
import { blocksReadBy, createTestDatabase, type TestDatabase } from '@cxp/testing';
import { fruitDatabase } from '../../test/fruit-service';
import { UnstoredRecords } from './unstored-records';

let database: TestDatabase;
let dataSource: DataSource;
let unstored: UnstoredRecords;

beforeAll(async () => {
  database = await createTestDatabase([fruitDatabase], migrate);
  dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  unstored = new UnstoredRecords(dataSource.manager, 'fruit');
});
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

it('counts the rejected records of each organization, up to a limit for each', async () => {
  const refusals = (count: number) =>
    Array.from({ length: count }, (_, place) => ({ record: `{"id":${place}}`, reason: 'bad' }));
  await unstored.reject('acme', refusals(5));
  await unstored.reject('other', refusals(1));
  expect(await unstored.countRejected(3)).toEqual([
    { organizationId: 'acme', count: 3 },
    { organizationId: 'other', count: 1 },
  ]);
  expect(await unstored.countRejected(null)).toContainEqual({ organizationId: 'acme', count: 5 });
});

it('finds the organizations that wait, and since when, in a few steps for each', async () => {
  await dataSource.query(`
    INSERT INTO fruit.waiting_record (organization_id, record, deferred_at)
    SELECT organization_id, '{}', timestamptz '2026-01-05T00:00:00Z' + place * interval '1 second'
    FROM unnest(ARRAY['acme', 'other']) AS organization (organization_id), generate_series(0, 19999) AS place
    ORDER BY place`);
  const since = new Date('2026-01-05T00:00:00Z');
  const blocks = await blocksReadBy(dataSource, () => unstored.waitingOrganizations());
  expect(blocks).toBeLessThan(50);
  expect(await unstored.waitingOrganizations()).toEqual([
    { organizationId: 'acme', since },
    { organizationId: 'other', since },
  ]);
});

it('removes what is chosen of records that wait and of those that were put aside, some at a time', async () => {
  const records = Array.from({ length: 5 }, (_, place) => `{"id":${place}}`);
  await unstored.defer('third', records);
  await unstored.reject(
    'third',
    records.map((record) => ({ record, reason: 'bad' })),
  );
  const looked: string[][] = [];
  let place: string | undefined;
  let removed = 0;
  for (;;) {
    const next = await unstored.removeNext('third', place, 3, (some) => {
      looked.push([...some]);
      return Promise.resolve(some.map((record) => record !== records[4]));
    });
    if (!next) break;
    ({ place } = next);
    removed += next.removed;
  }
  expect(removed).toBe(8);
  expect(looked.map((some) => some.length)).toEqual([3, 2, 3, 2]);
  expect(await unstored.firstWaiting('third', 10)).toMatchObject([{ record: records[4] }]);
  expect(await unstored.firstRejected('third', 10)).toMatchObject([{ record: records[4] }]);
});
