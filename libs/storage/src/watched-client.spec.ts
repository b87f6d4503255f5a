import { Pool } from 'pg';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { isDependencyUnavailable } from './failures';
import { WatchedClient } from './watched-client';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({ connectionString: database.url, max: 1, Client: WatchedClient as never });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

it('waits for a statement that the server works on, however long it takes', async () => {
  await expect(pool.query('SELECT pg_sleep(2)')).resolves.toMatchObject({ rowCount: 1 });
});

it('gives a connection up whose statement never reached the server, and the pool makes a new one', async () => {
  const client = await pool.connect();
  client.on('error', () => undefined);
  const { connection } = client as unknown as WatchedClient;
  connection.stream.write = () => true;
  const failure: unknown = await client.query('SELECT 1').catch((error: unknown) => error);
  client.release(failure as Error);

  expect(isDependencyUnavailable(failure)).toBe(true);
  await expect(pool.query('SELECT 1')).resolves.toMatchObject({ rowCount: 1 });
});

it('leaves a connection alone that owes no answer', async () => {
  const client = await pool.connect();
  await client.query('BEGIN');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await expect(client.query('COMMIT')).resolves.toMatchObject({ command: 'COMMIT' });
  client.release();
});
