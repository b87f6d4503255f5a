import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Client, type PoolClient, type PoolConfig } from 'pg';
import { createTestDatabase, eventually, type TestDatabase } from '@cxp/testing';
import { DependencyUnavailableError, isDependencyUnavailable } from './failures';
import { SharedPool } from './shared-pool';
import { StatementScope } from './statement-scope';
import { WatchedClient } from './watched-client';

const WAITERS = 2_000;

let database: TestDatabase;
let pool: SharedPool;
let config: PoolConfig;
let observer: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  observer = new Client({ connectionString: database.url });
  await observer.connect();
});
beforeEach(() => {
  config = {
    connectionString: database.url,
    max: 10,
    connectionTimeoutMillis: 60_000,
    Client: WatchedClient as unknown as PoolConfig['Client'],
  };
  pool = new SharedPool(config);
  pool.on('error', () => undefined);
});
afterEach(() => pool.end());
afterAll(async () => {
  await observer.end();
  await database.drop();
});

const connect = (...shares: string[]) => new StatementScope(...shares).run(() => pool.connect());

/** @returns nothing if the shares would have to wait at this moment */
async function connectAtOnce(...shares: string[]): Promise<PoolClient | undefined> {
  const { waiters } = pool;
  const scope = new StatementScope(...shares);
  const client = scope.run(() => pool.connect());
  if (pool.waiters === waiters) return client;
  scope.end();
  await expect(client).rejects.toThrow('is answered');
  return undefined;
}

/** As many connections as the share can have at this moment. */
async function connectAll(...shares: string[]): Promise<PoolClient[]> {
  const clients: PoolClient[] = [];
  for (;;) {
    const client = await connectAtOnce(...shares);
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
  await eventually(async () => (await runningStatements()).length === count);
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
      const client = await connectAtOnce('route:locked', `organization:${i}`);
      if (client) held.push(client);
    }
    expect(held).toHaveLength(7);
    release([...held, await connect('route:other', 'organization:1')]);
  });

  it('all of them to work of no share', async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    config.connectionTimeoutMillis = 50;
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

  it('in few steps, however many wait: each connection that comes free looks at the first of each share', async () => {
    const steps = jest.spyOn(pool as unknown as { heldBy: (share: string) => number }, 'heldBy');
    const all = await Promise.all(Array.from({ length: 10 }, () => pool.connect()));
    const many = Array.from({ length: WAITERS }, () => connect('a', 'organization:many'));
    const other = connect('b');
    release(all);
    release([await other]);
    for (const [i, client] of many.entries()) {
      (await client).release();
      if (i % 100 === 0) await setImmediate();
    }
    expect(pool.waiters).toBe(0);
    expect(steps.mock.calls.length).toBeLessThan(50 * WAITERS);
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
    await observer.query('SELECT pg_advisory_lock(1)');
    const other = pool.query('SELECT pg_advisory_xact_lock(1)');
    await untilRunning(3);
    const before = pool.totalCount;
    scope.end();
    for (const failure of failures) expect(isDependencyUnavailable(await failure)).toBe(true);
    await untilRunning(1);
    await observer.query('SELECT pg_advisory_unlock(1)');
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
