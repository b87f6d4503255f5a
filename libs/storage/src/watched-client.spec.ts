import { Pool, type PoolConfig } from 'pg';
import { createTestDatabase, eventually, type TestDatabase } from '@cxp/testing';
import { watchedClient } from './watched-client';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => (database = await createTestDatabase()));
afterAll(() => database.drop());
afterEach(() => pool.end());

function connect(config: PoolConfig): void {
  pool = new Pool({ connectionString: database.url, max: 1, ...config });
  pool.on('error', () => undefined);
}

/** Runs a query over a connection of the pool, and gives it back. @returns the backend that the next one has */
async function backendAfter(sql: string, problem: string): Promise<number> {
  const client = await pool.connect();
  const { processID } = client;
  await expect(client.query(sql)).rejects.toThrow(problem);
  client.release();
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  expect(rows[0]!.pid).not.toBe(processID);
  return processID;
}

it('a connection whose query takes too long is closed, and the next one is another', async () => {
  connect({ Client: watchedClient(), query_timeout: 100 });
  await backendAfter('SELECT pg_sleep(5)', 'Query read timeout');
});

it('a connection ends while its query is under way, once its backend is not known to work on it', async () => {
  const asked: number[] = [];
  let isRunning = true;
  connect({
    Client: watchedClient((processId) => Promise.resolve((asked.push(processId), isRunning))),
  });
  setTimeout(() => (isRunning = false), 1_500);
  const startedAt = performance.now();
  const processID = await backendAfter('SELECT pg_sleep(20)', 'Connection terminated');
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(asked).toEqual([processID, processID]);
});

it('nothing is asked about a connection that is idle', async () => {
  const asked = jest.fn(() => Promise.resolve(false));
  connect({ Client: watchedClient(asked) });
  const client = await pool.connect();
  await client.query('START TRANSACTION');
  await expect(client.query('SELECT no')).rejects.toThrow('column "no" does not exist');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await client.query('ROLLBACK');
  client.release();
  expect(asked).not.toHaveBeenCalled();
  await eventually(() => pool.idleCount === 1);
});
