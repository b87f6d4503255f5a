import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Client, type PoolClient, type PoolConfig } from 'pg';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { DependencyUnavailableError, isDependencyUnavailable } from './failures';
import { SharedPool } from './shared-pool';
import { StatementScope } from './statement-scope';
import { WatchedClient } from './watched-client';

let database: TestDatabase;
let pool: SharedPool;
let observer: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  observer = new Client({ connectionString: database.url });
  await observer.connect();
});
beforeEach(() => {
  pool = openPool(300);
});
afterEach(() => pool.end());
afterAll(async () => {
  await observer.end();
  await database.drop();
});

function openPool(connectionTimeoutMillis: number): SharedPool {
  const opened = new SharedPool({
    connectionString: database.url,
    max: 10,
    connectionTimeoutMillis,
    Client: WatchedClient as unknown as PoolConfig['Client'],
  });
  opened.on('error', () => undefined);
  return opened;
}

const connect = (...shares: string[]) => new StatementScope(...shares).run(() => pool.connect());

/** As many connections as the share can have at this moment. */
async function connectAll(...shares: string[]): Promise<PoolClient[]> {
  const clients: PoolClient[] = [];
  for (;;) {
    const client = await connect(...shares).catch(() => undefined);
    if (!client) return clients;
    clients.push(client);
  }
}

function release(clients: readonly PoolClient[]): void {
  for (const client of clients) client.release();
}

async function runningStatements(): Promise<string[]> {
  const { rows } = await observer.query<{ query: string }>(
    `SELECT query FROM pg_stat_activity
     WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
  );
  return rows.map(({ query }) => query);
}

async function untilRunning(count: number): Promise<void> {
  while ((await runningStatements()).length !== count) await sleep(5);
}

describe('connections are shared out', () => {
  it('so that one share, however much it asks for, leaves some to the others', async () => {
    const slow = await connectAll('organization:slow');
    const other = await connectAll('organization:other');
    const third = await connect('organization:third');
    expect([slow.length, other.length]).toEqual([7, 2]);
    release([...slow, ...other, third]);
  });

  it('by every share of a scope: a route of many organizations leaves some to other routes', async () => {
    const held: PoolClient[] = [];
    for (let i = 0; i < 9; i++) {
      const client = await connect('route:locked', `organization:${i}`).catch(() => undefined);
      if (client) held.push(client);
    }
    expect(held).toHaveLength(7);
    release([...held, await connect('route:other', 'organization:1')]);
  });

  it('all of them to work of no share', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    await expect(pool.connect()).rejects.toThrow(DependencyUnavailableError);
    release(clients);
  });

  it('first to the share that holds fewest, and among equals in the order of their coming', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    const order: string[] = [];
    const waiting = ['a', 'a', 'b', 'a', 'c'].map((share, i) =>
      connect(share).then((client) => {
        order.push(`${share}${i}`);
        return client;
      }),
    );
    expect(pool.waiters).toBe(5);
    for (const client of all) {
      client.release();
      await sleep(5);
    }
    release(await Promise.all(waiting));
    expect(order).toEqual(['a0', 'b2', 'c4', 'a1', 'a3']);
  });

  it('in time, however many wait: each connection that comes free looks at the first of each share', async () => {
    await pool.end();
    pool = openPool(30_000);
    const all = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    const many = Array.from({ length: 20_000 }, () => connect('a', 'organization:many'));
    const other = connect('b');
    release(all);
    release([await other]);
    for (const [i, client] of many.entries()) {
      (await client).release();
      if (i % 100 === 0) await setImmediate();
    }
    expect(pool.waiters).toBe(0);
  });

  it('and all come back: those that failed, were released with an error, or were waited for in vain', async () => {
    for (let round = 0; round < 3; round++) {
      const clients = await connectAll('a');
      expect(clients).toHaveLength(7);
      for (const [i, client] of clients.entries()) client.release(i % 2 === 0);
    }
    expect(pool.waiters).toBe(0);
  });
});

describe('a statement that fails', () => {
  const backend = async () =>
    (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]!.pid;

  it.each([
    ['because its row is refused', 'INSERT INTO only_one VALUES (1)', 'duplicate key', true],
    ['because a value is wrong', `SELECT 'x'::int`, 'invalid input syntax', true],
    ['for another reason', 'SELECT pg_terminate_backend(pg_backend_pid())', 'terminating connection', false],
    ['because it is canceled', 'SELECT pg_cancel_backend(pg_backend_pid())', 'canceling statement', false],
  ])('%s: %s', async (_, statement, message, isUsedAgain) => {
    await observer.query('CREATE TABLE IF NOT EXISTS only_one (id int PRIMARY KEY)');
    await observer.query('INSERT INTO only_one VALUES (1) ON CONFLICT DO NOTHING');
    const before = await backend();
    for (let run = 0; run < 3; run++) await expect(pool.query(statement)).rejects.toThrow(message);
    expect((await backend()) === before).toBe(isUsedAgain);
  });
});

describe('the end of a scope', () => {
  it('cancels its statements, and their connections are not used again', async () => {
    const scope = new StatementScope('a');
    const failures = [1, 2].map(() =>
      scope.run(() => pool.query('SELECT pg_sleep(60)')).catch((error: unknown) => error),
    );
    const other = pool.query('SELECT pg_sleep(0.5)');
    await untilRunning(3);
    const before = pool.totalCount;
    scope.end();
    for (const failure of failures) expect(isDependencyUnavailable(await failure)).toBe(true);
    await untilRunning(1);
    await expect(other).resolves.toMatchObject({ rowCount: 1 });
    expect(pool.totalCount).toBe(before - 2);
    expect(scope.isIdle).toBe(true);
  });

  it('cancels statements that the server has not even begun', async () => {
    const scopes = Array.from({ length: 40 }, (_, i) => new StatementScope(`share ${i}`));
    for (const scope of scopes) {
      const client = await scope.run(() => pool.connect());
      const statement = client.query('SELECT pg_sleep(60)');
      scope.end();
      await expect(statement).rejects.toThrow('canceling statement due to user request');
      client.release();
    }
  });

  it('refuses what it asks for later, and what it waits for', async () => {
    const all = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    const scope = new StatementScope('a');
    const waiting = scope.run(() => pool.query('SELECT 1'));
    scope.end();
    await expect(waiting).rejects.toThrow('is answered');
    await expect(scope.run(() => pool.query('SELECT 1'))).rejects.toThrow('is answered');
    expect(pool.waiters).toBe(0);
    release(all);
  });

  it('lets a transaction do nothing more but roll back', async () => {
    const scope = new StatementScope('a');
    const client = await scope.run(() => pool.connect());
    await client.query('CREATE TABLE left_behind (id int)');
    await client.query('START TRANSACTION');
    await client.query('INSERT INTO left_behind VALUES (1)');
    scope.end();
    await expect(client.query('INSERT INTO left_behind VALUES (2)')).rejects.toThrow('is answered');
    await expect(client.query('COMMIT')).rejects.toThrow('is answered');
    await client.query('ROLLBACK');
    client.release();
    expect((await observer.query('SELECT FROM left_behind')).rowCount).toBe(0);
  });

  it('does not end what was started outside of it', async () => {
    const scope = new StatementScope('a');
    const shared = scope.run(() => StatementScope.leave(() => pool.query('SELECT pg_sleep(0.2)')));
    scope.end();
    await expect(shared).resolves.toMatchObject({ rowCount: 1 });
  });
});
