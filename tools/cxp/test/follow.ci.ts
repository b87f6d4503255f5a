import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeFeedMaintenance } from '@cxp/change-feed';
import { CxpClient } from '@cxp/client';
import { PostgresDatabase, TableCopy } from '@cxp/follower';
import { runCxp } from './cxp-process';
import { AREA, at, conversation, followedCopy, ticket } from './followed-copy';

const SCHEDULE = {
  type: 'human_schedule',
  data: { weekly: [{ weekday: 1, start: '08:30', end: '17:30' }], exceptions: [] },
};

const copied = followedCopy();
const { follow, load, beginEpoch, expectCopyOfExport } = copied;

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
  const { rows } = await copied.pool.query(
    `SELECT "row"->>'ticketSubject' AS subject FROM cxp.conversation_session WHERE ticket_id = 1`,
  );
  expect(rows).toEqual([{ subject: 'Solved' }]);
});

it('keeps the key, the number, the digest and the row of each, and the cursor', async () => {
  await load(conversation(1));
  await follow();
  const { rows } = await copied.pool.query(
    'SELECT conversation_id, session_index, ticket_id, conversation_updated_at, change, digest, "row" FROM cxp.conversation_session',
  );
  const [item] = (await copied.client.conversationSessions.changes({ once: true }).next()).value!.items;
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
  const state = await copied.pool.query('SELECT area, organization_id, cursor FROM cxp.follow_state');
  expect(state.rows).toEqual([
    { area: 'contact-center', organization_id: copied.caller.organizationId, cursor: expect.any(String) },
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
      const { rows } = await copied.pool.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM cxp.conversation_session',
      );
      least = Math.min(least, rows[0]!.count);
    }
  })();
  await follow();
  isDone = true;
  await reader;
  expect(least).toBeGreaterThan(0);
  expect(copied.reports).toContain('reading from the beginning: human_schedule');
  await expectCopyOfExport(1);
});

describe('in another epoch', () => {
  const day = 24 * 60;

  it('reads nothing again if nothing differs, and goes on', async () => {
    await load(conversation(1), conversation(2, day), conversation(3, 2 * day));
    await follow();
    await beginEpoch();
    await follow();
    expect(copied.reports).toContain('the cursor has expired: nothing differs');
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
    expect(copied.reports).toContain('the cursor has expired: reading 2026-01-06, 2026-01-07');
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
    expect(copied.reports).toContain('reading from the beginning: cursor_expired');
    await expectCopyOfExport(3);
    await beginEpoch();
    await follow();
    expect(copied.reports).toContain('the cursor has expired: nothing differs');
  });
});

it('starts over after an expired cursor, and removes what it missed', async () => {
  await load(conversation(1), conversation(2));
  await follow();
  await load([{ type: 'conversation', op: 'delete', data: { id: 'c-2' } }]);
  await copied.service.app.get(ChangeFeedMaintenance).prune(new Date(Date.now() + 1_000));
  await follow();
  expect(copied.reports).toContain('reading from the beginning: cursor_expired');
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
    expect(copied.reports).toContain('not compared, because they change: 2026-01-05');
    expect(copied.reports.join('\n')).not.toContain('differs');

    // No change explains it.
    await copied.pool.query(`UPDATE cxp.conversation_session SET "row" = '{}' WHERE conversation_id = 'c-2'`);
    expect((await follow({ verify: true, area })).verified!.mended).toEqual(['2026-01-05']);

    await load(conversation(4, 2_000));
    await follow();
    await copied.pool.query(`DELETE FROM cxp.conversation_session WHERE conversation_id = 'c-4'`);
    expect((await follow({ verify: true, area })).verified!.mended).toEqual(['2026-01-06']);
    await follow();
    await expectCopyOfExport(4);
  });

  it.each([
    [
      'a row that was changed',
      `UPDATE cxp.conversation_session SET "row" = jsonb_set("row", '{rating}', '1') WHERE conversation_id = 'c-1'`,
    ],
    ['rows that were all removed', 'DELETE FROM cxp.conversation_session'],
    [
      'a row that was invented',
      `INSERT INTO cxp.conversation_session SELECT 'bogus', session_index, ticket_id, conversation_updated_at, change, digest, "row", reading, since FROM cxp.conversation_session WHERE conversation_id = 'c-1'`,
    ],
    [
      'a row of another day',
      `UPDATE cxp.conversation_session SET conversation_updated_at = '2025-01-01' WHERE conversation_id = 'c-1'`,
    ],
    [
      'a digest that was changed',
      `UPDATE cxp.conversation_session SET digest = '0123456789abcdef' WHERE conversation_id = 'c-1'`,
    ],
    [
      'a row that is no object',
      `UPDATE cxp.conversation_session SET "row" = 'null' WHERE conversation_id = 'c-1'`,
    ],
  ])('finds and mends %s', async (_, tamper) => {
    await copied.pool.query(tamper);
    const { verified } = await follow({ verify: true });
    expect(verified!.mended).toContain('2026-01-05');
    expect(copied.reports.join('\n')).toMatch(/the copy differs from the service in .*2026-01-05/);
    await expectCopyOfExport(3);
    expect((await follow({ verify: true })).verified!.mended).toEqual([]);
  });
});

it('does not write beside another follower', async () => {
  await load(conversation(1));
  const copy = new TableCopy(new PostgresDatabase(copied.pool), AREA, copied.caller.organizationId);
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
    const { organizationId, token } = copied.caller;
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    copied.client = new CxpClient({ organizationId, token, urls: { contactCenter: url } });
  });

  async function pass({ url: path, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const { accept } = headers;
    const answer = await fetch(`${copied.service.url}${path}`, {
      headers: { ...copied.caller.headers, accept: accept! },
    });
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
    expect(copied.reports).toContain('reading from the beginning: cursor_expired');
    await expectCopyOfExport(599);
  });

  it('reads the days that differ in a copy that was complete', async () => {
    await load(...MANY.map((n) => conversation(n)), conversation(1_001, DAY), conversation(1_002, 2 * DAY));
    await follow();
    await load(...MANY.map((n) => [ticket(n, { subject: 'Solved', updatedAt: at(30) })]));
    isCut = true;
    await follow();
    expect(copied.reports).toContain('the cursor has expired: reading 2026-01-05');
    await expectCopyOfExport(601);
  });
});

describe('npx cxp follow', () => {
  it('--to - prints the lines with their cursors, and goes on after one', async () => {
    await load(conversation(1), conversation(2));
    const { CXP_URL, CXP_TOKEN } = { CXP_URL: copied.service.url, CXP_TOKEN: copied.caller.token };
    const follows = (...more: string[]) =>
      runCxp({ CXP_URL, CXP_TOKEN }, [
        ...['follow', '--area', 'contact-center', '--organization', copied.caller.organizationId],
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
    ['a copied.target that is none', ['--to', 'mysql://x'], 'FILE.duckdb'],
    ['a directory', ['--to', 'sessions/'], 'FILE.duckdb'],
    ['an offset', ['--to', '-', '--timezone', '+07:00'], 'IANA timezone'],
    ['a schema of the database', ['--to', 'postgres://x', '--schema', 'pg_temp'], "the database's own"],
    ['a name that is none', ['--to', 'postgres://x', '--schema', 'Acme; DROP'], 'a-z, 0-9 and _'],
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
    const environment = { CXP_URL: copied.service.url, CXP_TOKEN: copied.caller.token };
    const follows = (...more: string[]) =>
      runCxp(environment, [
        ...['follow', '--area', 'contact-center', '--organization', copied.caller.organizationId],
        ...['--to', copied.target.url, '--once', ...more],
      ]);
    const seal = (...more: string[]) => runCxp({}, ['follow', 'seal', '--to', copied.target.url, ...more]);
    expect(await follows('--timezone', 'Europe/Berlin', '--views', '--history')).toMatchObject({ status: 0 });
    const sealed = await seal('--start-date', '2026-01-01', '--end-date', '2026-01-31');
    expect(sealed.stdout).toMatch(/\ntimezone Europe\/Berlin\n[^]*\n2026-01-05 \S+ \S+ 2 [0-9a-f]{16}\n/);
    expect(sealed.stderr).toMatch(/^sealed 2026-01-01 to 2026-01-31, 2 rows, by the day of sessionStartAt/);
    const file = join(await mkdtemp(join(tmpdir(), 'cxp-seal-')), 'seal');
    await writeFile(file, sealed.stdout);
    expect(await seal('--check', file)).toMatchObject({
      ...{ status: 0, stdout: expect.stringMatching(/^all is as it was sealed: 2026-01-01 to /) },
    });
    await load([ticket(1, { subject: 'Solved', updatedAt: at(31) })]);
    await follows();
    const { status, stdout } = await seal('--check', file);
    expect([status, stdout]).toEqual([1, expect.stringContaining('ticketSubject: "Parcel" -> "Solved"')]);
    const refused = await follows('--timezone', 'UTC');
    expect([refused.status, refused.stderr]).toEqual([
      2,
      'cxp: the copy in the schema cxp is of Europe/Berlin: leave --timezone out, or choose another --schema\n',
    ]);
  });

  it('a wrong token is one line', async () => {
    const { status, stderr } = await runCxp({}, [
      ...['follow', '--area', 'contact-center', '--once', '--organization', copied.caller.organizationId],
      ...['--url', copied.service.url, '--token', 'cxp_x', '--to', copied.target.url],
    ]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^cxp: .*401 Unauthorized.*\n$/)]);
  });
});
