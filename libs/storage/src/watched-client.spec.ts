import { text } from 'node:stream/consumers';
import { Pool, type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { BackendActivity } from './backend-activity';
import { isDependencyUnavailable } from './failures';
import { WatchedClient } from './watched-client';

let database: TestDatabase;
const statements: number[] = [];
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new Pool({
    connectionString: database.url,
    max: 1,
    Client: WatchedClient as never,
    ...{ onStatement: (milliseconds: number) => void statements.push(milliseconds) },
  });
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

it('asks a server once for all pools', () => {
  const { url } = database;
  const activity = BackendActivity.of({ connectionString: url, application_name: 'one' });
  expect(BackendActivity.of({ connectionString: url, application_name: 'other' })).toBe(activity);
});

it('leaves a connection alone that owes no answer', async () => {
  const client = await pool.connect();
  await client.query('BEGIN');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await expect(client.query('COMMIT')).resolves.toMatchObject({ command: 'COMMIT' });
  client.release();
});

it.each<[string, () => Promise<unknown>]>([
  ['of the pool', () => pool.query('SELECT pg_sleep(0.05)')],
  ['of a connection', () => withClient((client) => client.query('SELECT pg_sleep(0.05)'))],
  [
    'that fails',
    () =>
      withClient((client) => client.query('SELECT 1 / (pg_sleep(0.05) IS NULL)::int')).catch(() => undefined),
  ],
  [
    'that is copied',
    () => withClient((client) => text(client.query(copyTo('COPY (SELECT pg_sleep(0.05)) TO STDOUT')))),
  ],
])('tells the time of a statement %s once, to its end', async (_, run) => {
  statements.length = 0;
  await run();

  expect(statements).toEqual([expect.any(Number)]);
  expect(statements[0]).toBeGreaterThanOrEqual(50);
});

async function withClient<Result>(run: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  return run(client).finally(() => client.release());
}
