import { copyFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { seededRandom } from '@cxp/testing';
import { openBoth, type TestCopy } from './both-databases';
import { isoTime, randomConversation, type Row, upsert } from './generated-feed';

const next = seededRandom('views');
const random = (below: number) => Math.floor(next() * below);

/** Agents without an account, by email in any case, or without either; names that are blank. */
const NAMELESS = ['Only@Mail.com', 'only@mail.com', 'ONLY@mail.com', ''];
const FIRST_OF_AUTUMN = Date.UTC(2026, 9, 20);

/** Of weeks in which clocks change, in Vancouver for the last time; odd ids and values. */
function autumnConversation(n: number): Row[] {
  const rows = randomConversation(random, `'c" – ${n}`, 1_000 + n);
  const start = new Date(
    FIRST_OF_AUTUMN + random(40 * 24) * 3_600_000 + random(4) * 599_999 + n,
  ).toISOString();
  const agent = random(3) > 0 && {
    ...{ sessionAgentAccountId: null, sessionAgentEmail: NAMELESS[random(4)] },
    sessionAgentName: ['', ' ', 'Ann'][random(3)],
  };
  const figures = random(3) === 0 && {
    ...{ waitTimeSeconds: 0, firstResponseTimeSeconds: null, firstResponseTimeBusinessHoursSeconds: null },
    ...{ resolutionTimeSeconds: 9_000_000_000, resolutionYesNo: '', rating: null },
  };
  return rows.map((row) =>
    row.sessionIndex === null ? row : { ...row, sessionStartAt: start, ...agent, ...figures },
  );
}

const ROWS = [
  ...Array.from({ length: 800 }, (_, n) => randomConversation(random, `c-${n}`, n)).flat(),
  ...Array.from({ length: 500 }, (_, n) => autumnConversation(n)).flat(),
];

let copies: readonly TestCopy[];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ copies, close } = await openBoth({ views: true, timezone: 'Europe/Berlin' }));
  const items = ROWS.map((row, place) => upsert(place + 1, row, isoTime(place)));
  for (const { store } of copies) await store({ items, change: items.length, startsOver: 'first_reading' });
});
afterAll(() => close());

function groupBy(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

const METRICS = ['waitTime', 'firstResponseTime', 'resolutionTime'].flatMap((name) => [
  [`${name}Seconds`, `${snake(name)}_seconds`],
  [`${name}BusinessHoursSeconds`, `${snake(name)}_business_hours_seconds`],
]);

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const sessions = (): Row[] => [
  ...new Map(
    ROWS.filter(({ sessionIndex }) => sessionIndex !== null).map((row) => [
      `${String(row.conversationId)} ${String(row.sessionIndex)}`,
      row,
    ]),
  ).values(),
];

const dayIn = (timeZone: string) => (row: Row) =>
  new Intl.DateTimeFormat('sv', { timeZone }).format(new Date(row.sessionStartAt as string));

const values = (rows: readonly Row[], name: string) =>
  rows.flatMap((row) => (row[name] === null ? [] : [row[name] as number])).sort((a, b) => a - b);

/** As percentile_cont: between the two values around the place. */
function percentile(sorted: readonly number[], share: number): number | null {
  if (sorted.length === 0) return null;
  const place = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return Math.round((low + (high - low) * (place - Math.floor(place))) * 10) / 10;
}

const mean = (all: readonly number[]) =>
  all.length === 0 ? null : all.reduce((sum, value) => sum + value, 0) / all.length;

const distinct = (rows: readonly Row[], name: string) =>
  new Set(rows.map((row) => row[name]).filter((value) => value !== null)).size;

/** Each row as text, in one order; whole numbers of 64 bits are texts in both databases. */
async function read({ query }: TestCopy, sql: string): Promise<string[]> {
  const rows = await query(`SELECT CAST(to_json(answer) AS text) AS text FROM (${sql}) AS answer`);
  return rows.map(({ text }) => canonical(JSON.parse(text as string) as Row)).sort();
}

const canonical = (row: Row) =>
  JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))));

const answered = (rows: readonly Row[]) =>
  rows.filter(({ firstAgentMessageAt }) => firstAgentMessageAt !== null).length;

/** What the views say of sessions. */
function figuresOf(rows: readonly Row[]): Row {
  const yes = rows.filter(({ resolutionYesNo }) => resolutionYesNo === 'Yes').length;
  const no = rows.filter(({ resolutionYesNo }) => resolutionYesNo === 'No').length;
  const figures = METRICS.flatMap(([field, name]) => {
    const all = values(rows, field!);
    return [
      [`${name}_median`, percentile(all, 0.5)],
      [`${name}_p90`, percentile(all, 0.9)],
      [`${name}_mean`, mean(all)],
      [`${name}_missing`, rows.length - all.length],
    ];
  });
  const isOf = ({ conversationId, sessionIndex }: Row) =>
    rows.some((row) => row.conversationId === conversationId && row.sessionIndex === sessionIndex);
  return {
    sessions: rows.length,
    tickets: distinct(ROWS.filter(isOf), 'ticketId'),
    answered_sessions: answered(rows),
    ...(Object.fromEntries(figures) as Row),
    ratings: values(rows, 'rating').length,
    rating_mean: mean(values(rows, 'rating')),
    resolved_share: yes + no === 0 ? null : yes / (yes + no),
  };
}

const agentOf = (row: Row) =>
  (row.sessionAgentAccountId as number | null) ?? (row.sessionAgentEmail as string).toLowerCase();

/** Of the agent's latest session. */
function agentColumns(rows: readonly Row[]): Row {
  const placeOf = ({ sessionStartAt, sessionIndex }: Row) =>
    `${String(sessionStartAt)} ${String(sessionIndex)}`;
  const last = [...rows].sort((one, other) => (placeOf(one) > placeOf(other) ? -1 : 1))[0]!;
  const { sessionAgentAccountId, sessionAgentEmail, sessionAgentName } = last;
  return { account_id: sessionAgentAccountId, email: sessionAgentEmail, name: sessionAgentName };
}

it('cxp.agent_day has the figures of an oracle, in both databases', async () => {
  const timezone = 'Asia/Ho_Chi_Minh';
  const groups = groupBy(sessions(), (row) => JSON.stringify([dayIn(timezone)(row), agentOf(row)]));
  const expected = [...groups].map(([key, rows]) =>
    canonical({ day: (JSON.parse(key) as string[])[0], ...agentColumns(rows), ...figuresOf(rows) }),
  );
  for (const copy of copies)
    expect(await read(copy, `SELECT * FROM cxp.agent_day('${timezone}')`)).toEqual(expected.sort());
  expect(expected.length).toBeGreaterThan(100);
});

const HOUR_MS = 3_600_000;

/** Local days in Vancouver. Clocks stay from 1 November 2026 on; older editions of the timezones set them back. */
async function vancouverDay({ query }: TestCopy): Promise<(row: Row) => string> {
  const [row] = await query(
    `SELECT CAST(extract(hour FROM TIMESTAMPTZ '2026-12-01 12:00:00+00' AT TIME ZONE 'America/Vancouver') AS integer) AS hour`,
  );
  const offsetAt = (time: string) =>
    time < '2026-03-08T10' ? -8 : time < '2026-11-01T09' ? -7 : Number(row!.hour) - 12;
  return ({ sessionStartAt }) => {
    const time = sessionStartAt as string;
    return new Date(Date.parse(time) + offsetAt(time) * HOUR_MS).toISOString().slice(0, 10);
  };
}

it.each([
  ['2026-02-01', '2026-12-31'],
  ['2026-03-07', '2026-03-08'],
  ['2026-10-31', '2026-11-01'],
  ['2026-11-02', '2026-11-20'],
  ['2026-11-20', '2026-11-20'],
  ['2027-01-01', '2027-01-31'],
  ['2026-11-20', '2026-11-19'],
])('cxp.period and cxp.agent_period from %s to %s have the figures of an oracle', async (first, last) => {
  const period = `'America/Vancouver', '${first}', '${last}'`;
  for (const copy of copies) {
    const dayOf = await vancouverDay(copy);
    const rows = sessions().filter((row) => first <= dayOf(row) && dayOf(row) <= last);
    expect(await read(copy, `SELECT * FROM cxp.period(${period})`)).toEqual([
      canonical({ conversations: distinct(rows, 'conversationId'), ...figuresOf(rows) }),
    ]);
    const agents = [...groupBy(rows, (row) => String(agentOf(row))).values()];
    expect(await read(copy, `SELECT * FROM cxp.agent_period(${period})`)).toEqual(
      agents.map((each) => canonical({ ...agentColumns(each), ...figuresOf(each) })).sort(),
    );
    expect(rows.length > 0).toBe(first <= last && last < '2027');
  }
});

it.each([true, false])(
  'cxp.target_day has the figures of an oracle, business hours: %s',
  async (business) => {
    const timezone = 'America/St_Johns';
    const groups = groupBy(sessions(), dayIn(timezone));
    const expected = [...groups].map(([day, rows]) => {
      const target = (name: string, field: string, seconds: number) => {
        const all = values(rows, business ? `${field}BusinessHoursSeconds` : `${field}Seconds`);
        const met = all.filter((value) => value <= seconds).length;
        return {
          [`${name}_met`]: met,
          [`${name}_missed`]: all.length - met,
          [`${name}_not_answered`]: rows.length - answered(rows),
          [`${name}_share_met`]: all.length === 0 ? null : met / all.length,
        };
      };
      return canonical({
        ...{ day, sessions: rows.length },
        ...target('wait', 'waitTime', 120),
        ...target('first_response', 'firstResponseTime', 900),
      });
    });
    for (const copy of copies)
      expect(await read(copy, `SELECT * FROM cxp.target_day('${timezone}', 120, 900, ${business})`)).toEqual(
        expected.sort(),
      );
  },
);

it('cxp.conversation has a row for each conversation, and all views are the same in both databases', async () => {
  const [postgres, duckdb] = copies as [TestCopy, TestCopy];
  for (const sql of [
    'SELECT * FROM cxp.session',
    'SELECT * FROM cxp.conversation',
    `SELECT * FROM cxp.agent_day('Europe/Berlin')`,
    `SELECT * FROM cxp.target_day('UTC', 60, 60, false)`,
  ]) {
    const times = (text: string) => text.replaceAll(/(\d)[T ](\d\d:\d\d:\d\d)(\.\d+)?\+00(:00)?/g, '$1T$2$3');
    expect((await read(duckdb, sql)).map(times)).toEqual((await read(postgres, sql)).map(times));
  }
  const groups = groupBy(ROWS, ({ conversationId }) => conversationId as string);
  const first = (rows: readonly Row[]) => rows.find(({ sessionIndex }) => sessionIndex === 0);
  const found = await postgres.query('SELECT * FROM cxp.conversation');
  expect(found).toHaveLength(groups.size);
  for (const row of found) {
    const rows = groups.get(row.conversation_id as string)!;
    expect(Number(row.sessions)).toBe(distinct(rows, 'sessionIndex'));
    expect(Number(row.tickets)).toBe(distinct(rows, 'ticketId'));
    const agents = rows.filter(({ sessionIndex }) => sessionIndex !== null).map(agentOf);
    expect(Number(row.agents)).toBe(new Set(agents.filter((agent) => agent !== '')).size);
    for (const [field, name] of METRICS)
      expect(row[name!]).toBe((first(rows)?.[field!] ?? null) === null ? null : String(first(rows)![field!]));
    const rated = rows
      .filter(({ rating }) => rating !== null)
      .map(({ rating, submittedAt }) => [submittedAt ?? '', rating] as const);
    const last = rated
      .map(([time]) => time as string)
      .sort()
      .at(-1);
    const ratings = rated.filter(([time]) => time === last).map(([, rating]) => String(rating));
    expect(ratings.length === 0 ? [null] : ratings).toContain(row.rating);
  }
});

it('views answer from an attached DuckDB file, and functions after USE', async () => {
  const [, { target }] = copies as [TestCopy, TestCopy];
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const count = async (from: string) =>
    (await connection.runAndReadAll(`SELECT count(*) FROM ${from}`)).getRows()[0]![0];
  await connection.run(`ATTACH '${target}' AS support (READ_ONLY)`);
  expect(await count('support.cxp.session')).toBe(BigInt(ROWS.length));
  expect(await count('support.cxp.conversation')).toBeGreaterThan(1_000n);
  await connection.run('USE support');
  expect(await count(`cxp.period('UTC', '2026-01-01', '2026-12-31')`)).toBe(1n);
  expect(await count(`cxp.agent_day('UTC')`)).toBeGreaterThan(100n);
  connection.closeSync();
  instance.closeSync();
});

it('has a comment for each view and column', async () => {
  const [postgres, duckdb] = copies as [TestCopy, TestCopy];
  expect(
    await postgres.query(
      `SELECT attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE relnamespace = 'cxp'::regnamespace AND relkind = 'v' AND attnum > 0
       AND col_description(attrelid, attnum) IS NULL`,
    ),
  ).toEqual([]);
  expect(
    await duckdb.query(
      `SELECT table_name FROM duckdb_columns() WHERE schema_name = 'cxp' AND comment IS NULL AND table_name <> 'conversation_session'`,
    ),
  ).toEqual([]);
  const functions = await duckdb.query(
    `SELECT function_name, comment FROM duckdb_functions() WHERE schema_name = 'cxp' ORDER BY 1`,
  );
  expect(functions.map(({ function_name: name }) => name)).toEqual([
    'agent_day',
    'agent_period',
    'period',
    'target_day',
  ]);
  for (const { comment } of functions) expect(comment).toContain('sessions: Sessions; one with several');
});

describe('a copy of an older release', () => {
  it('has its views replaced, or one line says what to do', async () => {
    for (const { query, reopen, target } of copies) {
      await query(`DROP VIEW cxp.session ${target.startsWith('postgres') ? 'CASCADE' : ''}`);
      await query('CREATE VIEW cxp.session AS SELECT 1 AS other');
      const opened = reopen({ views: true });
      if (target.startsWith('postgres'))
        await expect(opened).rejects.toThrow(
          "cxp.session is of another release, or not the copy's. If it is the copy's: DROP VIEW cxp.session CASCADE, and start again; else choose another --schema",
        );
      else await opened;
    }
  });
});

it('a DuckDB file opens again after a kill between a commit and the end of its writing', async () => {
  // What a kill leaves behind: both files as they are before DuckDB closes them.
  const { value } = Object.getOwnPropertyDescriptor(DuckDBInstance.prototype, 'closeSync')!;
  const close = value as (this: DuckDBInstance) => void;
  const killed: string[] = [];
  let file = '';
  const spied = jest.spyOn(DuckDBInstance.prototype, 'closeSync').mockImplementation(function (
    this: DuckDBInstance,
  ) {
    if (file) {
      const copy = `${file}.${killed.length}`;
      copyFileSync(file, copy);
      copyFileSync(`${file}.wal`, `${copy}.wal`);
      killed.push(copy);
    }
    return close.call(this);
  });
  const both = await openBoth({ views: true, history: true });
  const copy = both.copies[1]!;
  file = copy.target;
  await copy.reopen();
  await copy.store({ items: [upsert(1, ROWS[0]!, isoTime(0))], change: 1 });
  await copy.store({ items: [upsert(2, ROWS[0]!, isoTime(1))], change: 2 });
  spied.mockRestore();
  expect(killed).toHaveLength(3);
  for (const each of killed) (await DuckDBInstance.create(each)).closeSync();
  await both.close();
});
