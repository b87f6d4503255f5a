import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import { ReadReplica } from './read-replica';
import { ReadStore } from './read-store';

let database: TestDatabase;
let primary: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  primary = await new DataSource({ type: 'postgres', url: database.url }).initialize();
});
afterAll(async () => {
  await primary.destroy();
  await database.drop();
});

async function readOver(url: string): Promise<unknown> {
  const connections = { type: 'postgres', url } as const;
  const store = new ReadStore(primary, new ReadReplica({ url, connections, maxLagMs: 1_000 }, async () => 0));
  await store.onModuleInit();
  try {
    expect(store.replica!.isUsable).toBe(false);
    return await store.read((manager) => manager.query('SELECT pg_is_in_recovery() AS "isReplica"'));
  } finally {
    await store.onApplicationShutdown();
  }
}

// With a real replica: tools/faults/test/read-replica.ci.ts.
describe('ReadStore reads from the primary', () => {
  it('without a replica', async () => {
    const found = await new ReadStore(primary).read((manager) => manager.query('SELECT 1 AS one'));
    expect(found).toEqual([{ one: 1 }]);
  });

  it('if nothing listens where the replica should be', async () => {
    const nowhere = new URL(database.url);
    nowhere.port = '1';
    expect(await readOver(nowhere.href)).toEqual([{ isReplica: false }]);
  });

  it('if the server is no replica', async () => {
    expect(await readOver(database.url)).toEqual([{ isReplica: false }]);
  });
});
