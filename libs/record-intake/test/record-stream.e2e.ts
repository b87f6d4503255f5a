import { eventually, startTestService, type TestService } from '@cxp/service-kit/testing';
import {
  acknowledgedRecords,
  addToStream,
  recordStream,
  RecordStreamModule,
  rejectedRecordStream,
} from '../src';
import { fruitDatabase, fruitRecords, fruitService } from './fruit-service';

const STREAM = recordStream('fruit');
const REJECTED = rejectedRecordStream('fruit');

/** A record that its schema lets through, and PostgreSQL does not: no bigint is so large. */
const TOO_LARGE = 1e30;

const service = { ...fruitService, imports: () => [RecordStreamModule.forRoot(fruitRecords)] };

let first: TestService;
let second: TestService;

beforeAll(async () => {
  first = await startTestService(service, fruitDatabase, {});
  const { DATABASE_URL, REDIS_URL } = first.environment;
  second = await startTestService(service, fruitDatabase, {
    DATABASE_URL: DATABASE_URL!,
    REDIS_URL: REDIS_URL!,
  });
});
beforeEach(async () => {
  await first.dataSource.query('DELETE FROM fruit.fruit');
  await first.redis.del(REJECTED);
});
afterAll(async () => {
  await second.stop();
  await first.stop();
});

async function add(...fruits: { organizationId?: string; id: number; name?: string }[]): Promise<void> {
  const commands = first.redis.multi();
  for (const { organizationId = 'acme', ...data } of fruits) {
    addToStream(commands, 'fruit', { organizationId, type: 'fruit', data: { name: 'apple', ...data } });
  }
  await commands.exec();
}

/** Resolves when everything was taken from the stream. */
async function taken(): Promise<void> {
  await eventually(async () => (await first.redis.xlen(STREAM)) === 0);
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
  const entries = await first.redis.xrange(REJECTED, '-', '+');
  return entries.map(([, fields]) => fields[5]!);
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
    await eventually(async () => (await pending()) > 0);
    await first.dataSource.query('ALTER TABLE fruit.gone RENAME TO fruit');
    await taken();
    expect([await stored(), await rejected()]).toEqual([['acme 1 apple'], []]);
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
    ['refused by the stored data', () => add({ id: 9, name: 'unwelcome' }), /is unwelcome/],
    ['refused by the database', () => add({ id: TOO_LARGE }), /invalid input syntax for type bigint/],
  ])('%s', async (_, addBad, reason) => {
    await add({ id: 1 });
    await addBad();
    await add({ id: 2 }, { id: 3, organizationId: 'other' });
    await taken();
    expect(await stored()).toEqual(['acme 1 apple', 'acme 2 apple', 'other 3 apple']);
    expect(await rejected()).toEqual([expect.stringMatching(reason)]);
  });

  const addRaw = (...fields: string[]) => first.redis.xadd(STREAM, '*', ...fields);
});

it('records are acknowledged to their producer after they are stored, or kept aside', async () => {
  const commands = first.redis.multi();
  const record = (id: number, name: string) => ({
    organizationId: 'acme',
    type: 'fruit',
    data: { id, name },
  });
  addToStream(commands, 'fruit', record(1, 'apple'), 'a-1');
  addToStream(commands, 'fruit', record(2, 'unwelcome'), 'a-2');
  addToStream(commands, 'fruit', record(3, 'pear'));
  addToStream(commands, 'fruit', record(4, 'plum'), 'a-4');
  await commands.exec();
  const acknowledged: string[] = [];
  await eventually(async () => {
    acknowledged.push(...((await first.redis.lpop(acknowledgedRecords('fruit'), 3)) ?? []));
    return acknowledged.length >= 3;
  });
  expect(acknowledged).toEqual(['a-1', 'a-2', 'a-4']);
  expect(await stored()).toEqual(['acme 1 apple', 'acme 3 pear', 'acme 4 plum']);
  expect(await rejected()).toHaveLength(1);
});

it('the metrics tell what was taken and what waits', async () => {
  const text = await (await fetch(`${first.url}/metrics`)).text();
  expect(text).toMatch(/record_stream_backlog\{service="fruit"\} 0/);
  expect(text).toMatch(/record_stream_entries_total/);
});
