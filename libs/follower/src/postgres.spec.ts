import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { PostgresDatabase } from './postgres';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('a connection that PostgreSQL ends between two statements fails the transaction, and the next one has another', async () => {
  const copy = await PostgresDatabase.open(database.url);
  const pidOf = () => copy.transaction(async (run) => (await run('SELECT pg_backend_pid() AS pid'))[0]!.pid);
  const lost = copy.transaction(async (run) => {
    const [own] = await run('SELECT pg_backend_pid() AS pid');
    await copy.transaction((other) => other('SELECT pg_terminate_backend($1)', [own!.pid]));
    await sleep(200);
    await run('SELECT 1');
  });
  await expect(lost).rejects.toThrow();
  expect(await pidOf()).toEqual(expect.any(Number));
  await copy.close();
});
