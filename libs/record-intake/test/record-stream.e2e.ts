import { randomUUID } from 'node:crypto';
import { accessDatabase } from '@cxp/access';
import type { ServiceSettings } from '@cxp/service-kit';
import { eventually, startTestService, type TestService } from '@cxp/service-kit/testing';
import { migrate } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import { acknowledgedRecords, addToStream, recordStream, RecordStreamModule, UnstoredRecords } from '../src';
import { MAX_ACKNOWLEDGEMENTS, readBatch } from '../src/stream/record-stream';
import { fatalNames, fruitDatabase, fruitRecords, FruitModule } from './fruit-service';

const STREAM = recordStream('fruit');

/** A record that its schema lets through, and PostgreSQL does not: no bigint is so large. */
const TOO_LARGE = 1e30;

const service = {
  serviceName: FruitModule.serviceName,
  settings: FruitModule.settings,
  forRoot: (settings: ServiceSettings) =>
    FruitModule.forRoot(settings, RecordStreamModule.forRoot(fruitRecords)),
};

let database: TestDatabase;
let admin: DataSource;
/** Who the processes are to PostgreSQL: nobody else. */
const role = `reader_${randomUUID()}`;
let first: TestService;
let second: TestService;

beforeAll(async () => {
  database = await createTestDatabase([accessDatabase, fruitDatabase], migrate);
  const url = new URL(database.url);
  url.pathname = '/postgres';
  admin = await new DataSource({ type: 'postgres', url: url.href }).initialize();
  await admin.query(`CREATE ROLE "${role}" SUPERUSER LOGIN PASSWORD 'secret'`);
  const own = new URL(database.url);
  [own.username, own.password] = [role, 'secret'];
  first = await startTestService(service, fruitDatabase, { DATABASE_URL: own.href });
  const { DATABASE_URL, REDIS_URL } = first.environment;
  second = await startTestService(service, fruitDatabase, {
    DATABASE_URL: DATABASE_URL!,
    REDIS_URL: REDIS_URL!,
  });
});
beforeEach(async () => {
  fatalNames.clear();
  await first.dataSource.query(
    'DELETE FROM fruit.fruit; DELETE FROM fruit.rejected_record; DELETE FROM fruit.waiting_record',
  );
});
afterAll(async () => {
  await second.stop();
  await first.stop();
  await database.drop();
  await admin.query(`DROP ROLE "${role}"`);
  await admin.destroy();
});

async function add(...fruits: { organizationId?: string; id: number; name?: string }[]): Promise<void> {
  const records = fruits.map(({ organizationId = 'acme', ...data }) => ({
    record: { organizationId, type: 'fruit', data: { name: 'apple', ...data } },
  }));
  await addToStream(first.redis, 'fruit', records);
}

/** Resolves when everything was taken from the stream. */
async function taken(): Promise<void> {
  await eventually(async () => (await first.redis.xlen(STREAM)) === 0);
}

/** Resolves when everything that came by the stream is stored or put aside. */
async function settled(): Promise<void> {
  await taken();
  await eventually(async () => (await waiting()) === 0);
}

/** How many records wait in PostgreSQL. */
async function waiting(): Promise<number> {
  return (await first.dataSource.query('SELECT FROM fruit.waiting_record')).length;
}

/** How many entries were read and not acknowledged. */
async function pending(): Promise<number> {
  const [count] = (await first.redis.xpending(STREAM, 'fruit')) as [number];
  return count;
}

async function stored(): Promise<string[]> {
  const rows: { organization_id: string; id: string; name: string }[] = await first.dataSource.query(
    'SELECT * FROM fruit.fruit ORDER BY organization_id, id',
  );
  return rows.map(({ organization_id, id, name }) => `${organization_id} ${id} ${name}`);
}

async function rejected(): Promise<string[]> {
  const rows: { reason: string }[] = await first.dataSource.query(
    'SELECT reason FROM fruit.rejected_record ORDER BY organization_id, id',
  );
  return rows.map(({ reason }) => reason);
}

/** Ends the connection by which a process holds the stream, as if the process had died. */
async function loseLock(): Promise<void> {
  await first.dataSource.query(`
    SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`);
}

/** Takes the stream from the processes, and gives it back. */
async function whileNobodyReads(use: () => Promise<void>): Promise<void> {
  const connection = first.dataSource.createQueryRunner();
  const waiting = connection.query('SELECT pg_advisory_lock($1, hashtext($2))', [0x7273, 'fruit']);
  await loseLock();
  await waiting;
  await eventually(async () => !(await isSomebodyReading()));
  await use();
  await connection.query('SELECT pg_advisory_unlock_all()');
  await connection.release();
}

async function isSomebodyReading(): Promise<boolean> {
  const clients = ((await first.redis.client('LIST')) as string).split('\n');
  const database = ` db=${first.redis.options.db} `;
  return clients.some((client) => / flags=\w*b/.test(client) && client.includes(database));
}

describe('records on the stream', () => {
  it('are stored for their organization, in their order, and removed', async () => {
    await add({ id: 1 }, { id: 1, organizationId: 'other' }, { id: 2 }, { id: 1, name: 'pear' });
    await taken();
    expect(await stored()).toEqual(['acme 1 pear', 'acme 2 apple', 'other 1 apple']);
    expect(await pending()).toBe(0);
  });

  it('are stored in their order, however many there are', async () => {
    for (let i = 0; i < 30; i++) {
      await add(...Array.from({ length: 100 }, (_, j) => ({ id: j % 10, name: `${i}.${j}` })));
    }
    await taken();
    expect(await stored()).toEqual(Array.from({ length: 10 }, (_, id) => `acme ${id} 29.${90 + id}`));
  });

  it('that were read by a process that died come before later ones', async () => {
    await whileNobodyReads(async () => {
      await add({ id: 1, name: 'first' });
      await first.redis.xreadgroup('GROUP', 'fruit', 'reader', 'COUNT', 10, 'STREAMS', STREAM, '>');
      await add({ id: 1, name: 'second' });
    });
    await taken();
    expect(await stored()).toEqual(['acme 1 second']);
  });

  it('are read on by another process when the one that reads loses its lock', async () => {
    for (let i = 0; i < 5; i++) {
      await loseLock();
      await add({ id: i });
      await taken();
    }
    expect(await stored()).toHaveLength(5);
  });

  it('wait while the schema is not migrated', async () => {
    await first.dataSource.query('ALTER TABLE fruit.fruit RENAME TO gone');
    await add({ id: 1 });
    await eventually(async () => (await waiting()) > 0);
    await first.dataSource.query('ALTER TABLE fruit.gone RENAME TO fruit');
    await settled();
    expect([await stored(), await rejected()]).toEqual([['acme 1 apple'], []]);
  });
});

describe('while PostgreSQL stores nothing, for whichever reason, records stay on the stream', () => {
  const name = () => new URL(database.url).pathname.slice(1);

  /** @param spared whether the connection by which a process holds the stream stays: it goes on reading */
  const endConnections = (spared: 'none' | 'reader') =>
    admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = $1 AND ($2 = 'none' OR pid NOT IN (SELECT pid FROM pg_locks WHERE classid = $3 AND granted))`,
      [name(), spared, 0x7273],
    );

  it.each([
    [
      'it is read-only (25006)',
      () => `ALTER DATABASE "${name()}" SET default_transaction_read_only = on`,
      () => `ALTER DATABASE "${name()}" RESET default_transaction_read_only`,
    ],
    ['it refuses logins (28000)', () => `ALTER ROLE "${role}" NOLOGIN`, () => `ALTER ROLE "${role}" LOGIN`],
    [
      'it accepts no connections (55000)',
      () => `ALTER DATABASE "${name()}" ALLOW_CONNECTIONS false`,
      () => `ALTER DATABASE "${name()}" ALLOW_CONNECTIONS true`,
    ],
  ])('%s', async (_, begin, end) => {
    const before = await failuresOfStream();
    await admin.query(begin());
    try {
      await endConnections('reader');
      for (let id = 0; id < 20; id++) await add({ id });
      await eventually(async () => (await failuresOfStream()) > before);
      expect(await first.redis.xlen(STREAM)).toBe(20);
    } finally {
      await admin.query(end());
      await endConnections('none');
    }
    await settled();
    expect([(await stored()).length, await rejected()]).toEqual([20, []]);
  });

  async function failuresOfStream(): Promise<number> {
    const texts = await Promise.all([first, second].map(({ url }) => metricsOf(url)));
    const counts = texts.map(
      (text) => /^record_stream_failures_total\{of="stream".*\} (\d+)$/m.exec(text)?.[1],
    );
    return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
  }
});

describe('an organization whose records can’t be stored now', () => {
  const names = (...organizations: string[]) =>
    stored().then((rows) => rows.filter((row) => organizations.includes(row.split(' ')[0]!)));

  /** Runs something while another intake of the organization is under way. */
  async function whileBusy(organizationId: string, use: () => Promise<void>): Promise<void> {
    const holder = first.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [0x696e, `fruit:${organizationId}`]);
    try {
      await use();
    } finally {
      await holder.rollbackTransaction();
      await holder.release();
    }
  }

  it('because it is busy holds up no other one, and its records are stored in their order afterwards', async () => {
    await whileBusy('acme', async () => {
      await add({ id: 1, name: 'first' }, { id: 1, organizationId: 'other' });
      await taken();
      await add({ id: 1, name: 'second' }, { id: 2, organizationId: 'other' });
      await taken();
      expect(await stored()).toEqual(['other 1 apple', 'other 2 apple']);
      expect(await waiting()).toBe(2);
    });
    await add({ id: 1, name: 'third' });
    await settled();
    expect(await names('acme')).toEqual(['acme 1 third']);
  });

  it('may have thousands of them waiting', async () => {
    await whileBusy('acme', async () => {
      for (let i = 0; i < 30; i++) {
        await add(...Array.from({ length: 100 }, (_, j) => ({ id: j % 10, name: `${i}.${j}` })));
      }
      await add({ id: 1, organizationId: 'other' });
      await taken();
      expect(await stored()).toEqual(['other 1 apple']);
    });
    await settled();
    expect(await names('acme')).toEqual(Array.from({ length: 10 }, (_, id) => `acme ${id} 29.${90 + id}`));
  });

  it('because a row is locked holds up no other one', async () => {
    await add({ id: 1 });
    await settled();
    const holder = first.dataSource.createQueryRunner();
    await holder.startTransaction();
    await holder.query(`SELECT FROM fruit.fruit WHERE organization_id = 'acme' FOR UPDATE`);
    await add({ id: 1, name: 'pear' }, { id: 2, organizationId: 'other' });
    await taken();
    expect(await stored()).toEqual(['acme 1 apple', 'other 2 apple']);
    await holder.rollbackTransaction();
    await holder.release();
    await settled();
    expect(await names('acme')).toEqual(['acme 1 pear']);
  });

  it('because of a mistake of ours holds up no other one; nothing of it is rejected, and what came before is stored', async () => {
    fatalNames.add('kiwi');
    await add(
      { id: 1 },
      { id: 2, name: 'kiwi' },
      { id: 2, name: 'pear' },
      { id: 1, organizationId: 'other' },
    );
    await taken();
    expect([await stored(), await waiting(), await rejected()]).toEqual([
      ['acme 1 apple', 'other 1 apple'],
      2,
      [],
    ]);
    fatalNames.clear();
    await settled();
    expect(await names('acme')).toEqual(['acme 1 apple', 'acme 2 pear']);
  });

  it('is tried again by another process', async () => {
    await whileNobodyReads(async () => {
      const record = JSON.stringify({ type: 'fruit', data: { id: 1, name: 'fig' } });
      await new UnstoredRecords(first.dataSource.manager, 'fruit').defer('acme', [record]);
      await add({ id: 1, name: 'pear' });
    });
    await settled();
    expect(await stored()).toEqual(['acme 1 pear']);
  });
});

describe('a record on the stream that can never be stored is put aside, and the others are stored', () => {
  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['no JSON', () => addRaw('organization_id', 'acme', 'record', '{'), /must be valid JSON/],
    [
      'an unknown type',
      () => addRaw('organization_id', 'acme', 'record', '{"type":"x","data":{}}'),
      /must be one of: fruit/,
    ],
    ['wrong data', () => add({ id: 1.5 }), /valid integer/],
    [
      'no organization',
      () => addRaw('record', '{"type":"fruit","data":{"id":1,"name":"x"}}'),
      /organization_id is missing/,
    ],
    ['no record', () => addRaw('organization_id', 'acme'), /must be valid JSON/],
    [
      'an organization that can’t be indexed',
      () => add({ id: 1, organizationId: 'x'.repeat(10_000) }),
      /organization_id is missing/,
    ],
    ['a NUL', () => addRaw('organization_id', 'acme', 'record', '{"\0'), /must be valid JSON/],
    ['refused by the stored data', () => add({ id: 9, name: 'unwelcome' }), /is unwelcome/],
    ['refused by the database', () => add({ id: TOO_LARGE }), /invalid input syntax for type bigint/],
  ])('%s', async (_, addBad, reason) => {
    await add({ id: 1 });
    await addBad();
    await add({ id: 2 }, { id: 3, organizationId: 'other' });
    await settled();
    expect(await stored()).toEqual(['acme 1 apple', 'acme 2 apple', 'other 3 apple']);
    expect(await rejected()).toEqual([expect.stringMatching(reason)]);
  });

  it('one of hundreds, also if it waited', async () => {
    fatalNames.add('kiwi');
    await add({ id: 1, name: 'kiwi' });
    await taken();
    await add(...Array.from({ length: 300 }, (_, id) => ({ id: id === 77 ? TOO_LARGE : id })));
    await taken();
    fatalNames.clear();
    await settled();
    expect([(await stored()).length, (await rejected()).length]).toEqual([299, 1]);
  });

  it('once, however often it is sent', async () => {
    for (let i = 0; i < 2; i++) {
      await add({ id: 1.5 });
      await settled();
    }
    expect(await rejected()).toHaveLength(1);
  });

  it('and it is counted for its organization', async () => {
    await add({ id: 1.5 }, { id: 2.5 });
    await settled();
    expect(await metricsOf(first.url)).toMatch(/^rejected_records\{organization="acme".*\} 2$/m);
  });

  const addRaw = (...fields: string[]) => first.redis.xadd(STREAM, '*', ...fields);
});

it('records are acknowledged to their producer after they are stored, or kept aside', async () => {
  const record = (id: number, name: string) => ({
    organizationId: 'acme',
    type: 'fruit',
    data: { id, name },
  });
  await addToStream(first.redis, 'fruit', [
    { record: record(1, 'apple'), acknowledgeAs: 'a-1' },
    { record: record(2, 'unwelcome'), acknowledgeAs: 'a-2' },
    { record: record(3, 'pear') },
    { record: record(4, 'plum'), acknowledgeAs: 'a-4' },
  ]);
  const acknowledged: string[] = [];
  await eventually(async () => {
    acknowledged.push(...((await first.redis.lpop(acknowledgedRecords('fruit'), 3)) ?? []));
    return acknowledged.length >= 3;
  });
  expect(acknowledged).toEqual(['a-1', 'a-2', 'a-4']);
  expect(await stored()).toEqual(['acme 1 apple', 'acme 3 pear', 'acme 4 plum']);
  expect(await rejected()).toHaveLength(1);
});

it('acknowledgements that nobody reads are bounded: the latest are kept', async () => {
  const list = acknowledgedRecords('fruit');
  await first.redis.del(list);
  await first.redis.eval(
    `for i = 1, ${MAX_ACKNOWLEDGEMENTS} do redis.call('RPUSH', KEYS[1], 'unread') end`,
    1,
    list,
  );
  const records = [1, 2].map((id) => ({
    record: { organizationId: 'acme', type: 'fruit', data: { id, name: 'apple' } },
    acknowledgeAs: `a-${id}`,
  }));
  await addToStream(first.redis, 'fruit', records);
  await eventually(async () => (await first.redis.lindex(list, -1)) === 'a-2');
  expect(await first.redis.llen(list)).toBe(MAX_ACKNOWLEDGEMENTS);
  await first.redis.del(list);
});

describe('a read of a stream', () => {
  const LARGE = 'x'.repeat(1024 * 1024);
  const read = (from: '0' | '>') => readBatch(first.redis, 'records:{read}', 'group', 'reader', from);

  beforeEach(async () => {
    await first.redis.del('records:{read}');
    await first.redis.xgroup('CREATE', 'records:{read}', 'group', '0', 'MKSTREAM');
  });

  it.each([
    ['small', 'x', 1_200, [500, 500, 200]],
    ['large', LARGE, 24, [10, 10, 4]],
  ])('has as many %s entries as it may, in their order', async (_, record, count, expected) => {
    const ids: string[] = [];
    for (let i = 0; i < count; i++)
      ids.push((await first.redis.xadd('records:{read}', '*', 'record', record))!);
    const batches = [await read('>'), await read('>'), await read('>')];
    expect(batches.map(({ length }) => length)).toEqual(expected);
    expect(batches.flat().map(([id]) => id)).toEqual(ids);
    expect(await read('>')).toEqual([]);
    // What was not acknowledged comes again, from the first.
    expect((await read('0')).map(([id]) => id)).toEqual(ids.slice(0, expected[0]));
  });

  it('has entries that are gone without their fields, and goes on after them', async () => {
    for (let i = 0; i < 20; i++) await first.redis.xadd('records:{read}', `1-${i + 1}`, 'record', 'x');
    await read('>');
    await first.redis.xdel('records:{read}', '1-8', '1-9');
    const again = await read('0');
    expect(again.map(([id]) => id)).toEqual(Array.from({ length: 20 }, (_, i) => `1-${i + 1}`));
    expect(again[7]![1]).toBeNull();
  });
});

it('the metrics tell what was taken and what waits', async () => {
  const text = await metricsOf(first.url);
  expect(text).toMatch(/record_stream_backlog\{service="fruit"\} 0/);
  expect(text).toMatch(/record_stream_entries_total/);
  expect(text).toMatch(/record_stream_waiting_oldest_seconds\{service="fruit"\} 0/);
});

async function metricsOf(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}
