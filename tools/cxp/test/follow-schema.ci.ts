import { CxpClient } from '@cxp/client';
import { Follower, PostgresDatabase, TableCopy } from '@cxp/follower';
import { eventually } from '@cxp/service-kit/testing';
import { FaultyProxy } from '@cxp/testing/local-servers';
import { AREA, conversation, followedCopy } from './followed-copy';

const copied = followedCopy();
const { follow, load, beginEpoch } = copied;

describe('the schema of a copy', () => {
  it('belongs to one organization and timezone, and others have their own beside it', async () => {
    await load(conversation(1));
    await follow({ timezone: 'Asia/Ho_Chi_Minh', views: true });
    // Another name of the timezone is no other one; the first name stays.
    await follow({ timezone: 'Asia/Saigon' });
    expect((await copied.pool.query('SELECT timezone FROM cxp.follow_state')).rows).toEqual([
      { timezone: 'Asia/Ho_Chi_Minh' },
    ]);
    await expect(follow({ timezone: 'Asia/Tokyo' })).rejects.toThrow(
      'the copy in the schema cxp is of Asia/Ho_Chi_Minh: leave --timezone out, or choose another --schema',
    );
    const first = copied.caller.organizationId;
    copied.useCaller(await copied.service.caller());
    await load(conversation(2), conversation(3));
    await expect(follow()).rejects.toThrow(
      `the schema cxp has the copy of organization ${first}: choose another --schema`,
    );
    await follow({ schema: 'acme', views: true });
    const counts = await copied.pool.query(
      'SELECT (SELECT count(*) FROM cxp.session) AS first, (SELECT count(*) FROM acme.session) AS second',
    );
    expect(counts.rows).toEqual([{ first: '1', second: '2' }]);
  });

  it('is not taken from somebody else, but if it is empty', async () => {
    await copied.pool.query(
      `CREATE SCHEMA acme; CREATE SCHEMA crm; CREATE TABLE crm.customer (name text);
       CREATE SCHEMA shop; CREATE SEQUENCE shop.conversation_session`,
    );
    await follow({ schema: 'acme' });
    for (const schema of ['crm', 'shop'])
      await expect(follow({ schema })).rejects.toThrow(
        `the schema ${schema} holds tables of somebody else: choose another --schema`,
      );
    const tables = await copied.pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'crm'`);
    expect(tables.rows).toEqual([{ tablename: 'customer' }]);
  });

  it('is not made by a first start that the service refuses', async () => {
    const right = copied.client;
    copied.client = new CxpClient({
      ...{ organizationId: 'typo', token: copied.caller.token, urls: { contactCenter: copied.service.url } },
    });
    await expect(follow()).rejects.toThrow('401');
    copied.client = right;
    await expect(follow({ timezone: '+07:00' })).rejects.toThrow('422');
    const schemas = await copied.pool.query(`SELECT 1 FROM pg_namespace WHERE nspname = 'cxp'`);
    expect(schemas.rows).toEqual([]);
    await follow({ timezone: 'Asia/Ho_Chi_Minh' });
  });
});

it('proves by days of UTC, whatever the timezone of the copy, the settings of its database and the calendar', async () => {
  const name = new URL(copied.target.url).pathname.slice(1);
  for (const setting of [
    "DateStyle = 'German'",
    "TimeZone = 'America/St_Johns'",
    "search_path = 'reporting'",
  ])
    await copied.pool.query(`ALTER DATABASE "${name}" SET ${setting}`);
  await copied.pool.end();
  copied.connect();
  const times = [
    // A local day that two editions of the timezones count otherwise, and dates that mean none.
    ...['2026-11-20T07:30:00Z', '1900-01-01T00:00:00+07:00', '1965-07-01T04:30:00Z', '2999-06-30T13:30:00Z'],
    ...[
      '0001-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
      '2010-11-07T02:45:00Z',
      '2026-01-05T23:59:59.999Z',
    ],
  ];
  await load(...times.map((updatedAt, n) => conversation(n, 30, updatedAt)));
  await follow({ timezone: 'America/Vancouver' });
  const { verified } = await follow({ verify: true });
  expect(verified).toEqual({ groups: times.length, mended: [] });
  // Each day is read again without those of other days that windows of the timezone also have.
  await copied.pool.query(`UPDATE cxp.conversation_session SET digest = '0' WHERE ticket_id IN (0, 1, 5)`);
  expect((await follow({ verify: true })).verified!.mended).toEqual([
    '1899-12-31',
    '2026-11-20',
    '9999-12-31',
  ]);
  await copied.pool.query('DELETE FROM cxp.conversation_session WHERE ticket_id = 3');
  await beginEpoch();
  await follow();
  expect(copied.reports).toContain('the cursor has expired: reading 2999-06-30');
  const { rows } = await copied.pool.query('SELECT 1 FROM cxp.conversation_session');
  expect(rows).toHaveLength(times.length);
});

it('an idle copy shows when the service answered last', async () => {
  await load(conversation(1));
  await follow();
  await copied.pool.query(`UPDATE cxp.follow_state SET checked_at = now() - INTERVAL '1 day'`);
  await follow();
  const { rows } = await copied.pool.query(
    `SELECT checked_at > now() - INTERVAL '1 minute' AS fresh, stored_at < checked_at AS idle FROM cxp.follow_state`,
  );
  expect(rows).toEqual([{ fresh: true, idle: true }]);
});

it('a history has nothing of a person who was erased while the copy could not go on at its cursor', async () => {
  await load(conversation(1), conversation(2));
  await follow({ history: true });
  const remove = (reason: string) => ({ type: 'conversation', op: 'delete', data: { id: 'c-1' }, reason });
  await load([remove('removed')]);
  await follow();
  const names = async () => {
    const { rows } = await copied.pool.query(`SELECT "row"->>'customerName' AS name FROM cxp.session_past`);
    return rows.map(({ name }) => name as unknown);
  };
  expect(await names()).toEqual(['Customer 1']);
  await load([remove('erased')]);
  await beginEpoch();
  await follow();
  expect(copied.reports).toContain('the cursor has expired: nothing differs');
  expect(await names()).toEqual([null]);
});

it('a follower says once that the service is away, and goes on when it is back', async () => {
  await load(conversation(1));
  let isAway = true;
  const { organizationId, token } = copied.caller;
  copied.client = new CxpClient({
    ...{ organizationId, token, urls: { contactCenter: copied.service.url }, retry: { maxRetries: 0 } },
    fetch: (...request) => (isAway ? Promise.reject(new Error('cut')) : fetch(...request)),
  });
  const copy = new TableCopy(new PostgresDatabase(copied.pool), AREA, organizationId);
  const report = (line: string) => void copied.reports.push(line);
  const running = new Follower(copied.client, copy, { once: false, verify: false, report }).run();
  const ended = running.catch((error: Error) => error.message);
  await eventually(() => copied.reports.length > 0, 10_000);
  isAway = false;
  await eventually(() => copied.reports.includes('conversation_session: 1 rows, up to date'), 30_000);
  isAway = true;
  await eventually(() => copied.reports.filter((line) => line.includes('is away')).length === 2, 60_000);
  expect(copied.reports).toEqual([
    expect.stringMatching(/^the service is away, trying again: GET .*: cut$/),
    'the service is back',
    'reading from the beginning: first_reading',
    'conversation_session: 1 rows, up to date',
    expect.stringMatching(/^the service is away/),
  ]);
  isAway = false;
  // Nothing that waits by itself will mend this.
  await copied.pool.query('DROP SCHEMA cxp CASCADE; CREATE SCHEMA cxp; CREATE TABLE cxp.other (id text)');
  expect(await ended).toContain('holds tables of somebody else');
});

it('a follower says once that its database is away, and goes on when it is back; with --once it ends', async () => {
  const proxy = await FaultyProxy.before(copied.target.url);
  const database = await PostgresDatabase.open(proxy.url);
  const copy = new TableCopy(database, AREA, copied.caller.organizationId);
  const report = (line: string) => void copied.reports.push(line);
  const follower = (once: boolean) => new Follower(copied.client, copy, { once, verify: false, report });
  await load(conversation(1));
  const ended = follower(false)
    .run()
    .catch((error: Error) => error.message);
  await eventually(() => copied.reports.length === 2, 10_000);
  await proxy.refuse();
  await load(conversation(2));
  await eventually(() => copied.reports.length === 3, 30_000);
  await expect(follower(true).run()).rejects.toThrow('ECONNREFUSED');
  await proxy.accept();
  await eventually(() => copied.reports.includes('conversation_session: 2 rows, up to date'), 30_000);
  expect(copied.reports).toEqual([
    'reading from the beginning: first_reading',
    'conversation_session: 1 rows, up to date',
    expect.stringMatching(
      /^the database is away, trying again: (Connection terminated|connect ECONNREFUSED|read ECONNRESET)/,
    ),
    'the database is back',
    'conversation_session: 2 rows, up to date',
  ]);
  await copied.pool.query('DROP SCHEMA cxp CASCADE; CREATE SCHEMA cxp; CREATE TABLE cxp.other (id text)');
  await load(conversation(3));
  expect(await ended).toContain('does not exist');
  await database.close();
  await proxy.close();
});
