import { NestFactory } from '@nestjs/core';
import { Pool, type PoolConfig } from 'pg';
import { DataSource } from 'typeorm';
import { createTestDatabase, eventually, type TestDatabase } from '@cxp/testing';
import { PostgresModule, watchedClient } from './postgres.module';
import { REQUEST_MS } from './times';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function withConnections<Result>(
  isPooled: boolean,
  use: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const postgres = PostgresModule.forRoot({
    url: database.url,
    applicationName: 'test',
    poolSize: 1,
    requestMs: REQUEST_MS,
    isPooled,
    areas: [],
  });
  const context = await NestFactory.createApplicationContext(postgres, { logger: false });
  try {
    return await use(context.get(DataSource));
  } finally {
    await context.close();
  }
}

async function settingsOf(isPooled: boolean): Promise<object> {
  const [settings] = await withConnections(isPooled, (source) =>
    source.query<[object]>(
      `SELECT current_setting('jit') AS jit, current_setting('statement_timeout') AS statement,
         current_setting('lock_timeout') AS lock,
         current_setting('idle_in_transaction_session_timeout') AS idle`,
    ),
  );
  return settings;
}

async function runStatement(statement: string): Promise<void> {
  await withConnections(false, (source) => source.query(statement));
}

describe('the connections of a service', () => {
  it('compile no statement, and end those that take too long', async () => {
    expect(await settingsOf(false)).toEqual({ jit: 'off', statement: '1500ms', lock: '1400ms', idle: '10s' });
  });

  it.each([true, false])('read times whatever the database is set to, pooled: %s', async (isPooled) => {
    const name = new URL(database.url).pathname.slice(1);
    await runStatement(`ALTER DATABASE "${name}" SET datestyle = 'SQL, DMY'`);
    const read = await withConnections(isPooled, (source) =>
      source.query<object[]>(`SELECT timestamptz '2026-02-01T00:00:00Z' AS time`),
    );
    expect(read).toEqual([{ time: new Date('2026-02-01T00:00:00Z') }]);
  });

  // Prepared, it stays until autovacuum looks at the table.
  it('plan with indexes, also for a table that was empty when it was vacuumed', async () => {
    await runStatement(
      'CREATE TABLE growing (organization_id text, id bigint, PRIMARY KEY (organization_id, id))',
    );
    await runStatement('VACUUM growing');
    const plan = await withConnections(false, (source) =>
      source.query<object[]>(`EXPLAIN SELECT FROM growing WHERE organization_id = 'acme' AND id = 1`),
    );
    expect(JSON.stringify(plan)).toContain('Index Only Scan');
  });

  it('set nothing behind a pooler, which would refuse it', async () => {
    expect(await settingsOf(true)).toEqual({ jit: 'on', statement: '0', lock: '0', idle: '0' });
  });
});

describe('a watched connection', () => {
  let pool: Pool;
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
    connect({ Client: watchedClient(), query_timeout: 1_000 });
    await backendAfter('SELECT pg_sleep(5)', 'Query read timeout');
  });

  it('a connection ends while its query is under way, once its backend is not known to work on it', async () => {
    const asked: number[] = [];
    connect({
      Client: watchedClient((processId) => Promise.resolve(asked.push(processId) < 2)),
    });
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
});
