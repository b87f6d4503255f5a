import { seededRandom } from '@cxp/testing';
import { openBoth, type TestCopy } from './both-databases';
import { isoTime, randomConversation, type Row, upsert } from './generated-feed';

const next = seededRandom('views');
const random = (below: number) => Math.floor(next() * below);
const ROWS = Array.from({ length: 800 }, (_, n) => randomConversation(random, `c-${n}`, n)).flat();

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

it('cxp.agent_day has the figures of an oracle, in both databases', async () => {
  const timezone = 'Asia/Ho_Chi_Minh';
  const groups = groupBy(sessions(), (row) =>
    JSON.stringify([
      dayIn(timezone)(row),
      row.sessionAgentAccountId ?? (row.sessionAgentEmail as string).toLowerCase(),
    ]),
  );
  const expected = [...groups].map(([key, rows]) => {
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
    return canonical({
      day: (JSON.parse(key) as string[])[0],
      account_id: rows[0]!.sessionAgentAccountId,
      sessions: rows.length,
      tickets: distinct(ROWS.filter(isOf), 'ticketId'),
      answered_sessions: distinctSessions(rows),
      ...Object.fromEntries(figures),
      ratings: values(rows, 'rating').length,
      rating_mean: mean(values(rows, 'rating')),
      resolved_share: yes + no === 0 ? null : yes / (yes + no),
    });
  });
  for (const copy of copies) {
    const found = await read(copy, `SELECT * FROM cxp.agent_day('${timezone}')`);
    expect(
      found
        .map((text) => {
          const { email: _email, name: _name, ...row } = JSON.parse(text) as Row;
          return canonical(row);
        })
        .sort(),
    ).toEqual(expected.sort());
  }
  expect(expected.length).toBeGreaterThan(100);
});

const distinctSessions = (rows: readonly Row[]) =>
  rows.filter(({ firstAgentMessageAt }) => firstAgentMessageAt !== null).length;

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
          [`${name}_not_answered`]: rows.length - distinctSessions(rows),
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
          'cxp.session is that of another release: DROP VIEW cxp.session CASCADE, and start again',
        );
      else await opened;
    }
  });
});
