import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { ChangeFeedMaintenance } from '@cxp/change-feed';
import { type ConversationSession, CxpClient } from '@cxp/client';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import { type Caller, startTestService, type TestService } from '@cxp/service-kit/testing';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { followedAreas, Follower, type FollowSummary, PostgresDatabase, TableCopy } from '@cxp/follower';
import { importRecords } from '@cxp/system-tests/http';
import { runCxp } from './cxp-process';

const AREA = followedAreas.find(({ name }) => name === 'contact-center')!;

const SCHEDULE = {
  type: 'human_schedule',
  data: { weekly: [{ weekday: 1, start: '08:30', end: '17:30' }], exceptions: [] },
};

let service: TestService;
let caller: Caller;
let client: CxpClient;
let target: TestDatabase;
let pool: Pool;
let reports: string[];

beforeAll(async () => {
  service = await startTestService(ContactCenterModule, contactCenterDatabase);
});
afterAll(() => service.stop());

beforeEach(async () => {
  caller = await service.caller();
  const { organizationId, token } = caller;
  client = new CxpClient({ organizationId, token, urls: { contactCenter: service.url } });
  target = await createTestDatabase();
  pool = new Pool({ connectionString: target.url });
  pool.on('error', () => undefined);
  reports = [];
});
afterEach(async () => {
  await pool.end();
  await target.drop();
});

/** A follower of this test's organization, run in this process. */
function follow({ verify = false, area = AREA } = {}): Promise<FollowSummary> {
  const copy = new TableCopy(new PostgresDatabase(pool), area, caller.organizationId);
  const report = (line: string) => void reports.push(line);
  return new Follower(client, copy, { once: true, verify, report }).run();
}

it('copies all rows, and then every change: new rows, other rows, rows that are gone', async () => {
  await load(conversation(1), conversation(2), conversation(3));
  await follow();
  await expectCopyOfExport(3);

  await load(
    [ticket(1, { subject: 'Solved', updatedAt: at(50) })],
    [{ type: 'conversation', op: 'delete', data: { id: 'c-2' } }],
    conversation(4),
  );
  await follow();
  await expectCopyOfExport(3);
  const { rows } = await pool.query(
    `SELECT "row"->>'ticketSubject' AS subject FROM conversation_session WHERE ticket_id = 1`,
  );
  expect(rows).toEqual([{ subject: 'Solved' }]);
});

it('keeps the key, the number, the digest and the row of each, and the cursor', async () => {
  await load(conversation(1));
  await follow();
  const { rows } = await pool.query(
    'SELECT conversation_id, session_index, ticket_id, conversation_updated_at, change, digest, "row" FROM conversation_session',
  );
  const [item] = (await client.conversationSessions.changes({ once: true }).next()).value!.items;
  expect(rows).toEqual([
    {
      conversation_id: 'c-1',
      session_index: 0,
      ticket_id: '1',
      conversation_updated_at: new Date(at(30)),
      change: String(item!.change),
      digest: expect.stringMatching(/^[0-9a-f]{16}$/),
      row: (item as unknown as { row: object }).row,
    },
  ]);
  const state = await pool.query('SELECT area, organization_id, cursor FROM cxp_follow_state');
  expect(state.rows).toEqual([
    { area: 'contact-center', organization_id: caller.organizationId, cursor: expect.any(String) },
  ]);
});

it('starts over after a resync, and its readers never see an empty table', async () => {
  await load(conversation(1), conversation(2));
  await follow();
  await load([{ type: 'conversation', op: 'delete', data: { id: 'c-2' } }], [SCHEDULE]);

  let isDone = false;
  let least = Infinity;
  const reader = (async () => {
    while (!isDone) {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM conversation_session',
      );
      least = Math.min(least, rows[0]!.count);
    }
  })();
  await follow();
  isDone = true;
  await reader;
  expect(least).toBeGreaterThan(0);
  expect(reports).toContain('reading from the beginning: human_schedule');
  await expectCopyOfExport(1);
});

/** As after a failover: cursors of before are expired. */
const beginEpoch = () =>
  service.dataSource.query('UPDATE contact_center.change_epoch SET epoch = gen_random_uuid()');

describe('in another epoch', () => {
  const day = 24 * 60;

  it('reads nothing again if nothing differs, and goes on', async () => {
    await load(conversation(1), conversation(2, day), conversation(3, 2 * day));
    await follow();
    await beginEpoch();
    await follow();
    expect(reports).toContain('the cursor has expired: nothing differs');
    await load([{ type: 'conversation', op: 'delete', data: { id: 'c-2' } }], conversation(4, day));
    await follow();
    await expectCopyOfExport(3);
  });

  it('reads the days that differ: rows that changed, that moved to another day, that are gone', async () => {
    await load(...[1, 2, 3, 4, 5, 6].map((n) => conversation(n, n * day)), conversation(7, day));
    await follow();
    await load(conversation(7, 2 * day), [{ type: 'conversation', op: 'delete', data: { id: 'c-1' } }]);
    await beginEpoch();
    await follow();
    expect(reports).toContain('the cursor has expired: reading 2026-01-06, 2026-01-07');
    await expectCopyOfExport(6);
    expect((await follow({ verify: true })).verified!.mended).toEqual([]);
  });

  it.each<[string, () => object[][]]>([
    ['more than half of the days differ', () => [conversation(1, 40), conversation(2, day + 5)]],
    ['the schedule is another one, which digests do not cover', () => [[SCHEDULE]]],
  ])('reads from the beginning if %s', async (_, records) => {
    await load(conversation(1), conversation(2, day), conversation(3, 2 * day));
    await follow();
    await load(...records());
    await beginEpoch();
    await follow();
    expect(reports).toContain('reading from the beginning: cursor_expired');
    await expectCopyOfExport(3);
    await beginEpoch();
    await follow();
    expect(reports).toContain('the cursor has expired: nothing differs');
  });
});

it('starts over after an expired cursor, and removes what it missed', async () => {
  await load(conversation(1), conversation(2));
  await follow();
  await load([{ type: 'conversation', op: 'delete', data: { id: 'c-2' } }]);
  await service.app.get(ChangeFeedMaintenance).prune(new Date(Date.now() + 1_000));
  await follow();
  expect(reports).toContain('reading from the beginning: cursor_expired');
  await expectCopyOfExport(1);
});

describe('--verify', () => {
  beforeEach(async () => {
    await load(conversation(1), conversation(2), conversation(3));
    await follow();
  });

  it('finds nothing in a right copy', async () => {
    expect(await follow({ verify: true })).toMatchObject({ rows: 3, verified: { mended: [] } });
  });

  it('does not compare a day whose rows change at each look, and mends another one', async () => {
    let looks = 0;
    const digests: typeof AREA.digests = async (from) => {
      const served = await AREA.digests(from);
      await load([ticket(1, { subject: `Look ${++looks}`, updatedAt: at(30 + looks) })]);
      return served;
    };
    const area = { ...AREA, digests };
    expect((await follow({ verify: true, area })).verified!.mended).toEqual([]);
    expect(reports).toContain('not compared, because they change: 2026-01-05');
    expect(reports.join('\n')).not.toContain('differs');

    // No change explains it.
    await pool.query(`UPDATE conversation_session SET "row" = '{}' WHERE conversation_id = 'c-2'`);
    expect((await follow({ verify: true, area })).verified!.mended).toEqual(['2026-01-05']);

    await load(conversation(4, 2_000));
    await follow();
    await pool.query(`DELETE FROM conversation_session WHERE conversation_id = 'c-4'`);
    expect((await follow({ verify: true, area })).verified!.mended).toEqual(['2026-01-06']);
    await follow();
    await expectCopyOfExport(4);
  });

  it.each([
    [
      'a row that was changed',
      `UPDATE conversation_session SET "row" = jsonb_set("row", '{rating}', '1') WHERE conversation_id = 'c-1'`,
    ],
    ['rows that were all removed', 'DELETE FROM conversation_session'],
    [
      'a row that was invented',
      `INSERT INTO conversation_session SELECT 'bogus', session_index, ticket_id, conversation_updated_at, change, digest, "row", reading FROM conversation_session WHERE conversation_id = 'c-1'`,
    ],
    [
      'a row of another day',
      `UPDATE conversation_session SET conversation_updated_at = '2025-01-01' WHERE conversation_id = 'c-1'`,
    ],
    [
      'a digest that was changed',
      `UPDATE conversation_session SET digest = '0123456789abcdef' WHERE conversation_id = 'c-1'`,
    ],
    [
      'a row that is no object',
      `UPDATE conversation_session SET "row" = 'null' WHERE conversation_id = 'c-1'`,
    ],
  ])('finds and mends %s', async (_, tamper) => {
    await pool.query(tamper);
    const { verified } = await follow({ verify: true });
    expect(verified!.mended).toContain('2026-01-05');
    expect(reports.join('\n')).toMatch(/the copy differs from the service in .*2026-01-05/);
    await expectCopyOfExport(3);
    expect((await follow({ verify: true })).verified!.mended).toEqual([]);
  });
});

it('refuses a table that is a copy of another organization', async () => {
  await follow();
  caller = await service.caller();
  await expect(follow()).rejects.toThrow(/^the table conversation_session is a copy of organization /);
});

it('does not write beside another follower', async () => {
  await load(conversation(1));
  const copy = new TableCopy(new PostgresDatabase(pool), AREA, caller.organizationId);
  const state = await copy.open();
  await follow();
  const batch = { items: [], change: 0, cursor: 'x', startsOver: null, isCurrent: true };
  await expect(copy.store(state, batch)).rejects.toThrow('another follower writes to the same table');
});

describe('a cursor that expires in the middle of a gathered batch', () => {
  /** One batch of 500 is gathered, another one has begun. */
  const LINES = 550;
  const MANY = Array.from({ length: 600 }, (_, n) => n);
  const DAY = 24 * 60;
  const proxy = createServer((request, response) => void pass(request, response));
  /** Cuts the next stream, of which other rows are there by then, and another epoch. */
  let isCut = false;

  beforeAll(() => once(proxy.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => void proxy.close());
  beforeEach(() => {
    const { organizationId, token } = caller;
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    client = new CxpClient({ organizationId, token, urls: { contactCenter: url } });
  });

  async function pass({ url: path, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accept } = headers;
    const answer = await fetch(`${service.url}${path}`, { headers: { ...caller.headers, accept: accept! } });
    const text = await answer.text();
    const schedule = answer.headers.get('x-human-schedule');
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type')!,
      ...(schedule && { 'x-human-schedule': schedule }),
    });
    if (!isCut || !path!.includes('changes')) return void response.end(text);
    isCut = false;
    await load(conversation(1, 40), [{ type: 'conversation', op: 'delete', data: { id: 'c-2' } }]);
    await beginEpoch();
    response.write(`${text.split('\n').slice(0, LINES).join('\n')}\n`, () => response.destroy());
  }

  it('starts over in a first copy', async () => {
    await load(...MANY.map((n) => conversation(n)));
    isCut = true;
    await follow();
    expect(reports).toContain('reading from the beginning: cursor_expired');
    await expectCopyOfExport(599);
  });

  it('reads the days that differ in a copy that was complete', async () => {
    await load(...MANY.map((n) => conversation(n)), conversation(1_001, DAY), conversation(1_002, 2 * DAY));
    await follow();
    await load(...MANY.map((n) => [ticket(n, { subject: 'Solved', updatedAt: at(30) })]));
    isCut = true;
    await follow();
    expect(reports).toContain('the cursor has expired: reading 2026-01-05');
    await expectCopyOfExport(601);
  });
});

describe('npx cxp follow', () => {
  it('--to - prints the lines with their cursors, and goes on after one', async () => {
    await load(conversation(1), conversation(2));
    const { CXP_URL, CXP_TOKEN } = { CXP_URL: service.url, CXP_TOKEN: caller.token };
    const follows = (...more: string[]) =>
      runCxp({ CXP_URL, CXP_TOKEN }, [
        ...['follow', '--area', 'contact-center', '--organization', caller.organizationId],
        ...['--to', '-', '--once', ...more],
      ]);
    const all = (await follows()).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(all).toEqual([
      expect.objectContaining({ op: 'upsert', cursor: expect.any(String), digest: expect.any(String) }),
      expect.objectContaining({ op: 'upsert', cursor: expect.any(String) }),
    ]);
    const rest = (await follows('--cursor', all[0].cursor)).stdout.trim().split('\n');
    expect(rest.map((line) => JSON.parse(line))).toEqual([all[1]]);
  });

  it.each<[what: string, args: string[], words: string]>([
    ['--verify without a copy', ['--to', '-', '--verify'], 'need a database in --to'],
    ['a timezone that is none', ['--to', '-', '--timezone', 'Mars/Base'], 'IANA timezone'],
    ['no target', [], '--to is needed: postgres://…, FILE.duckdb or -'],
    ['--cursor with a table', ['--to', 'postgres://x', '--cursor', 'c'], 'a copy has its own'],
    ['a target that is none', ['--to', 'mysql://x'], 'FILE.duckdb'],
    ['a directory', ['--to', 'sessions/'], 'FILE.duckdb'],
    ['a URL without a token', ['--to', '-', '--url', 'http://x', '--organization', 'o'], '--token'],
    [
      'a URL that is none',
      ['--to', '-', '--url', 'x', '--organization', 'o', '--token', 't'],
      'is not an http(s) URL',
    ],
  ])('%s is a wrong usage', async (_, args, words) => {
    const { status, stderr } = await runCxp({}, ['follow', '--area', 'contact-center', ...args]);
    expect(status).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  it('seals what it has copied, and refuses another timezone than the copy has', async () => {
    await load(conversation(1), conversation(2));
    const environment = { CXP_URL: service.url, CXP_TOKEN: caller.token };
    const follows = (...more: string[]) =>
      runCxp(environment, [
        ...['follow', '--area', 'contact-center', '--organization', caller.organizationId],
        ...['--to', target.url, '--once', ...more],
      ]);
    const seal = (...more: string[]) => runCxp({}, ['follow', 'seal', '--to', target.url, ...more]);
    expect(await follows('--timezone', 'Europe/Berlin', '--views', '--history')).toMatchObject({ status: 0 });
    const sealed = await seal('--start-date', '2026-01-01', '--end-date', '2026-01-31');
    expect(sealed.stdout).toMatch(/\ntimezone Europe\/Berlin\n[^]*\n2026-01-05 2 [0-9a-f]{16}\nsha256 /);
    const file = join(await mkdtemp(join(tmpdir(), 'cxp-seal-')), 'seal');
    await writeFile(file, sealed.stdout);
    expect(await seal('--check', file)).toMatchObject({ status: 0, stdout: 'all is as it was sealed\n' });
    await load([ticket(1, { subject: 'Solved', updatedAt: at(31) })]);
    await follows();
    const { status, stdout } = await seal('--check', file);
    expect([status, stdout]).toEqual([1, expect.stringContaining('ticketSubject: "Parcel" -> "Solved"')]);
    const refused = await follows('--timezone', 'UTC');
    expect([refused.status, refused.stderr]).toEqual([
      2,
      'cxp: the copy has business hours of Europe/Berlin: leave --timezone out, or copy into another database\n',
    ]);
  });

  it('a wrong token is one line', async () => {
    const { status, stderr } = await runCxp({}, [
      ...['follow', '--area', 'contact-center', '--once', '--organization', caller.organizationId],
      ...['--url', service.url, '--token', 'cxp_x', '--to', target.url],
    ]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^cxp: .*401 Unauthorized.*\n$/)]);
  });
});

/** The copy holds exactly the rows that the export lists, field by field. */
async function expectCopyOfExport(count?: number): Promise<void> {
  const listed: ConversationSession[] = [];
  const window = { startDate: '2000-01-01', endDate: '2099-12-31' };
  for await (const row of client.conversationSessions.list(window)) listed.push(row);
  const { rows } = await pool.query<{ row: ConversationSession }>('SELECT "row" FROM conversation_session');
  const byKey = (all: ConversationSession[]) =>
    new Map(all.map((row) => [JSON.stringify([row.conversationId, row.sessionIndex, row.ticketId]), row]));
  expect(rows).toHaveLength(listed.length);
  expect(byKey(rows.map(({ row }) => row))).toEqual(byKey(listed));
  if (count !== undefined) expect(rows).toHaveLength(count);
}

function at(minute: number): string {
  return new Date(Date.parse('2026-01-05T02:00:00.000Z') + minute * 60_000).toISOString();
}

/** The records of a conversation with one session and one ticket. */
function conversation(n: number, minute = 30): object[] {
  const conversationId = `c-${n}`;
  const agent = { accountId: 42, email: 'mai@example.com', name: 'Mai' };
  return [
    {
      type: 'conversation',
      data: {
        id: conversationId,
        createdAt: at(0),
        updatedAt: at(minute),
        closedAt: null,
        customer: { name: `Customer ${n}` },
      },
    },
    { type: 'activity', data: { id: `a-${n}`, conversationId, action: 'assign', occurredAt: at(5), agent } },
    ticket(n, { updatedAt: at(minute) }),
  ];
}

function ticket(n: number, changes: object): object {
  return {
    type: 'ticket',
    data: {
      ...{ id: n, conversationId: `c-${n}`, assigneeAccountId: 42, createdAt: at(6), updatedAt: at(6) },
      ...{ subject: 'Parcel', description: '', status: 'open', priority: 'normal', dueDate: null },
      ...{
        assignedAt: at(6),
        resolvedAt: null,
        installedSourceId: 1,
        installedSourceName: 'Web',
        channelType: 'chat',
      },
      ...{ customFields: {}, ...changes },
    },
  };
}

function load(...groups: object[][]): Promise<void> {
  return importRecords(service.url, caller, groups.flat());
}
