import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexDigest, rowDigest } from '@cxp/change-feed/row-digest';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { seededRandom } from '@cxp/testing';
import { withText } from '../src/copied-tables';
import { DuckdbDatabase } from '../src/duckdb';
import { followCommand } from '../src/follow.command';
import { followedFeeds, type FollowedChange } from '../src/followed-feed';
import { Heat } from '../src/report/charts';
import { type ExplainedRow, Lane } from '../src/report/explanation';
import { makeReport } from '../src/report/report.command';
import { renderReport } from '../src/report/report-page';
import { conversationQueries, statementOf } from '../src/report/report-queries';
import { TableCopy } from '../src/table-copy';
import { openBoth, type TestCopy } from './both-databases';
import { isoTime, randomConversation, randomRow, type Row, upsert } from './generated-feed';

const next = seededRandom('report');
const random = (below: number) => Math.floor(next() * below);
const CAMPAIGN = '3b0f7c52-9d1e-4f6a-8a57-0c1d2e3f4a51';
const HOSTILE = `"><script>alert('1')</script>&`;
const WEEK = { startDate: '2026-03-09', endDate: '2026-03-15', targetSeconds: 120 };

/** In the week, with a wait that only the test's own rows have. */
const slow = (id: string, more: Row): Row => ({
  ...randomRow(random, id, 0, null),
  ...{
    sessionStartAt: isoTime(10 * 86_400),
    firstAgentMessageAt: isoTime(11 * 86_400),
    botHandoffAt: isoTime(10 * 86_400),
  },
  ...{ waitTimeSeconds: 100_000, waitTimeBusinessHoursSeconds: 11_160 },
  ...more,
});
const ROWS = [
  ...Array.from({ length: 600 }, (_, n) => randomConversation(random, `c-${n}`, n)).flat(),
  slow("it's one", { customerName: HOSTILE, sessionAgentName: HOSTILE }),
  slow('nobody', {
    customerName: '',
    sessionAgentAccountId: null,
    sessionAgentEmail: '',
    sessionAgentName: '',
  }),
  ...Array.from({ length: 300 }, (_, n) =>
    slow(`of-${n}`, { waitTimeSeconds: n, sessionAgentAccountId: 1_000 + n, sessionAgentName: `Agent ${n}` }),
  ),
];

const campaign = {
  ...{ id: CAMPAIGN, name: `${HOSTILE}${'x'.repeat(1_000)}`, last_interacted_at: null },
  survey_questions: (['nps', 'csat', 'ces'] as const).map((metric_type, place) => ({
    ...{ id: place + 1, type: 'multiple_choice', metric_type, title: metric_type },
    option_titles_by_id: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`o${n}`, String(n)])),
    ...{ row_titles_by_id: null, column_titles: null },
  })),
};

function response(n: number): FollowedChange {
  const identifier = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const answers = { 1: `o${n % 11}`, 2: `o${1 + (n % 5)}`, 3: `o${1 + (n % 7)}` };
  const row = { identifier, sent_timestamp: null, answered_timestamp: '2026-03-10T08:00:00.000Z', answers };
  const digest = hexDigest(rowDigest({ key: { identifier }, survey_campaign_id: CAMPAIGN, row }));
  return {
    op: 'upsert',
    change: n,
    key: { identifier },
    survey_campaign_id: CAMPAIGN,
    digest,
    row,
  } as FollowedChange;
}

let copies: readonly TestCopy[];
let close: () => Promise<void>;

beforeAll(async () => {
  ({ copies, close } = await openBoth({ views: true, timezone: 'Europe/Berlin' }));
  const items = ROWS.map((row, place) => upsert(place + 1, row, isoTime(place)));
  for (const { store, database, query } of copies) {
    await store({ items, change: items.length, startsOver: 'first_reading' });
    const survey = new TableCopy(database, followedFeeds[1]!, 'demo', { views: true });
    const state = await survey.open();
    await survey.storeCampaigns([{ id: CAMPAIGN, status: 'active', row: campaign as never }]);
    const responses = Array.from({ length: 40 }, (_, n) => withText(followedFeeds[1]!, response(n + 1)));
    await survey.store(state, {
      items: responses,
      change: 40,
      cursor: 'c',
      startsOver: 'first_reading',
      isCurrent: true,
    });
    await query(`UPDATE cxp.follow_state SET checked_at = TIMESTAMPTZ '2026-03-20 01:02:03+00'`);
  }
});
afterAll(() => close());

/** With ordinary spaces. */
const pageOf = async (...made: Parameters<typeof makeReport>) =>
  (await makeReport(...made)).replaceAll('\u00a0', ' ');
const pagesOf = (options: Parameters<typeof makeReport>[1], now?: number) =>
  Promise.all(copies.map(({ database }) => pageOf(database, options, undefined, now)));
/** Of the tile with the name. */
const tile = (page: string, name: string) =>
  new RegExp(`<dt>${name}</dt><dd class="now">([^<]*)</dd>`).exec(page)?.[1];

it.each([
  ['a week', WEEK],
  ['a day', { ...WEEK, endDate: '2026-03-09' }],
  ['ten years', { ...WEEK, startDate: '2020-01-01', endDate: '2029-12-31' }],
  ['half a year', { ...WEEK, endDate: '2026-08-31' }],
  ['a target of 0', { ...WEEK, targetSeconds: 0 }],
  ['no rows', { ...WEEK, startDate: '2021-03-01', endDate: '2021-03-07' }],
  ['conversations only', { ...WEEK, area: 'contact-center' }],
  ['surveys only', { ...WEEK, area: 'survey' }],
])('%s: both databases give the same page, which is whole and holds no script', async (_, options) => {
  const [postgres, duckdb] = (await pagesOf(options)) as [string, string];
  expect(duckdb).toBe(postgres);
  expect(postgres).toMatch(/^<!doctype html><html.*<\/html>\n$/s);
  expect(postgres).not.toMatch(/<script|\ssrc=|url\(|https?:|NaN|undefined|Invalid/);
  expect(postgres).toMatch(/checked against the service on Fri 20 Mar, 0[28]:02, up to date at change/);
  expect(postgres.match(/<svg/g)?.length).toBe(postgres.match(/<div class="spoken"><table>/g)?.length);
});

it('has the figures of the views', async () => {
  const [page] = await pagesOf(WEEK);
  const [period] = await copies[0]!.query(
    `SELECT * FROM cxp.period('Europe/Berlin', '2026-03-09', '2026-03-15')`,
  );
  const [target] = await copies[0]!.query(
    `SELECT sum(wait_met) AS met, sum(wait_missed) AS missed FROM cxp.target_day('Europe/Berlin', 120, 120, false)
     WHERE day BETWEEN '2026-03-09' AND '2026-03-15'`,
  );
  const [met, missed] = [Number(target!.met), Number(target!.missed)];
  const share = Math.round((met / (met + missed)) * 100);
  expect(tile(page!, 'Sessions')).toBe(period!.sessions);
  expect(tile(page!, 'Conversations')).toBe(period!.conversations);
  expect(tile(page!, 'Rating')).toBe(`${Number(period!.rating_mean).toFixed(1)} of 5`);
  expect(tile(page!, 'Waited at most 2 min')).toBe(`${share} %`);
  expect(page).toContain(`<h1>${share} % of the answered customers waited at most 2 min`);
  expect(page).toContain(`${missed} waited longer`);
  const [said] = await copies[0]!
    .query(`SELECT count(*) AS resolutions FROM (SELECT DISTINCT conversation_id, session_index
      FROM cxp.session WHERE session_index IS NOT NULL AND resolution_yes_no IN ('Yes', 'No')
      AND CAST(session_start_at AT TIME ZONE 'Europe/Berlin' AS date) BETWEEN '2026-03-09' AND '2026-03-15') AS chosen`);
  expect(page).toContain(`of ${String(said!.resolutions)} who said`);
  const agents = await copies[0]!.query(
    `SELECT 1 FROM cxp.agent_period('Europe/Berlin', '2026-03-09', '2026-03-15')`,
  );
  expect(/aria-label="Figures of each agent".*?<\/table>/s.exec(page!)![0].match(/<bdi>/g)).toHaveLength(
    agents.length,
  );
  expect(agents.length).toBeGreaterThan(300);
});

it('shows the longest waits, of foreign names nothing but text, and the command that explains them', async () => {
  const [page] = await pagesOf(WEEK);
  const waits = /<ol class="waits">.*<\/ol>/s.exec(page!)![0];
  expect(waits.match(/<li/g)).toHaveLength(10);
  expect(waits).toContain('&quot;>&lt;script>alert');
  expect(waits).toContain('27 h 46 min');
  expect(waits).toContain('Nobody answered for 3 h 6 min in business hours.');
  expect(waits).toContain(`npx cxp explain --organization demo 'it'\\''s one'`.replaceAll("'", "'"));
  expect(waits).toContain('A customer without a name');
  expect(waits).toContain('an agent without a name');
});

it('shows each metric of a campaign with how many', async () => {
  const [page] = await pagesOf(WEEK);
  const [row] = await copies[0]!.query(
    `SELECT * FROM cxp.campaign_period('Europe/Berlin', '2026-03-09', '2026-03-15')`,
  );
  expect(page).toContain(`<h3>NPS: ${Number(row!.nps).toFixed(0).replace('-', '−')}</h3>`);
  expect(page).toContain(`<h3>Satisfaction (CSAT): ${Number(row!.csat_mean).toFixed(1)} of 5</h3>`);
  expect(page).toContain(`<h3>Effort (CES): ${Number(row!.ces_mean).toFixed(1)} of 7</h3>`);
  expect(page).toContain('40 answers, by score');
});

const metric = { from: 'botHandoffAt', to: 'firstAgentMessageAt', seconds: 86_400, counted: [], omitted: [] };
const EXPLAINED = {
  anchors: {
    botHandoffAt: { at: isoTime(10 * 86_400), record: null },
    firstAgentMessageAt: { at: isoTime(11 * 86_400), record: null },
  },
  metrics: { waitTimeSeconds: metric, waitTimeBusinessHoursSeconds: metric },
  session: {},
} as unknown as ExplainedRow;

it('has the command for a wait that the service does not explain, and the explanations of all others', async () => {
  const [{ database }] = copies as [TestCopy];
  const page = await makeReport(database, WEEK, () => async ({ conversation_id: id }) => {
    if (id === 'nobody') throw new Error('it takes too long\nfor this test');
    return EXPLAINED;
  });
  expect(page.match(/npx cxp explain --organization demo [^<]*/g)).toEqual([
    'npx cxp explain --organization demo nobody',
  ]);
  expect(page.match(/From “No handoff: counted from the assignment”/g)).toHaveLength(9);
});

it.each([
  [
    'agentDays',
    `SELECT CAST(day - DATE '1970-01-01' AS bigint) AS day, account_id, email, name, sessions,
       wait_time_business_hours_seconds_median, wait_time_seconds_median
     FROM cxp.agent_day('Europe/Berlin') WHERE day BETWEEN '2026-03-09' AND '2026-03-15'`,
  ],
  [
    'targets',
    `SELECT CAST(day - DATE '1970-01-01' AS bigint) AS day, sessions, wait_met AS met, wait_missed AS missed,
       wait_share_met, business_share_met FROM cxp.target_day('Europe/Berlin', 120, 120, false)
       LEFT JOIN (SELECT day, wait_share_met AS business_share_met FROM cxp.target_day('Europe/Berlin', 120, 120, true)) AS hours USING (day)
     WHERE day BETWEEN '2026-03-09' AND '2026-03-15'`,
  ],
] as const)('%s are figures of the view, on each day', async (name, view) => {
  const [timezone, beforeStart, beforeEnd] = ['Europe/Berlin', '2026-03-02', '2026-03-08'];
  const period = { ...WEEK, timezone, beforeStart, beforeEnd, isShort: true, unit: 'day' } as const;
  const sql = statementOf(conversationQueries(period)[name]!, 'cxp', period, `'${timezone}'`);
  for (const { query } of copies) {
    const expected = await query(view);
    const columns = Object.keys(expected[0]!);
    const shown = (await query(sql)).filter(({ day, is_now: isNow }) => day !== null && isNow !== false);
    const found = shown.map((row) => Object.fromEntries(columns.map((each) => [each, row[each]])));
    expect(sorted(found)).toEqual(sorted(expected));
    expect(expected.length).toBeGreaterThan(6);
  }
});

const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();

it('names an anchor that falls back', async () => {
  const lane = renderToString(h(Lane, { name: 'waitTime', row: EXPLAINED, timeOf: String }));
  expect(lane).toContain('From “No handoff: counted from the assignment” to “First answer”.');
});

it('shades the cells of hours by the largest of them', () => {
  const heat = renderToString(
    h(Heat, { rows: ['Mon'], from: 14, columns: 10, valueAt: (_, hour) => hour - 13 }),
  );
  const shades = [...heat.matchAll(/fill-opacity="([\d.]+)"/g)].map(([, shade]) => Number(shade));
  expect([shades.length, Math.max(...shades)]).toEqual([10, 1]);
});

it.each([
  [234, 231, 'about the same as'],
  [231, 234, 'about the same as'],
  [240, 200, 'worse than'],
  [200, 240, 'better than'],
  [0, 0, 'about the same as'],
])('a wait of %d s is, beside one of %d s, %s', (now, before, verdict) => {
  const figures = { wait_time_seconds_p90: now, sessions: 1, conversations: 1 };
  const tiles = [
    { is_now: true, ...figures },
    { is_now: false, ...figures, wait_time_seconds_p90: before },
  ];
  const hours = [{ weekday: 1, hour: 8, sessions: 1, late: 0 }];
  const conversations = { tiles, hours, targets: [], waits: [], agents: [], longest: [] };
  const period = { ...WEEK, timezone: 'UTC', beforeStart: '2026-03-02', beforeEnd: '2026-03-08' };
  const page = renderReport({
    ...{ organization: 'demo', schema: 'cxp', checkedAt: null, change: 1, hasSchedule: false, explained: [] },
    ...{ period: { ...period, isShort: false, unit: 'day' }, conversations: conversations as never },
  });
  const [, said] = /<dt>9 of 10 waited less than<.*?<b[^>]*>([^<]*)</.exec(page)!;
  expect(said).toBe(verdict);
});

it('names the two agents and days that are furthest above the target, of at least three sessions', async () => {
  const [page] = await pagesOf(WEEK);
  const furthest = await copies[0]!.query(
    `SELECT name FROM cxp.agent_day('Europe/Berlin') WHERE day BETWEEN '2026-03-09' AND '2026-03-15'
       AND sessions >= 3 AND wait_time_seconds_median > 120 ORDER BY wait_time_seconds_median DESC LIMIT 2`,
  );
  const named = [...page!.matchAll(/<b class="late"><bdi>([^<]*)<\/bdi> on /g)].map(([, name]) => ({ name }));
  expect(furthest).toHaveLength(2);
  expect(named).toEqual(furthest);
});

it.each([
  ['2026-03-15T22:59:59.999Z', 'Mon, 2 Mar 2026 to Sun, 8 Mar 2026, beside Mon, 23 Feb 2026'],
  ['2026-03-15T23:00:00.000Z', 'Mon, 9 Mar 2026 to Sun, 15 Mar 2026, beside Mon, 2 Mar 2026'],
])('without days, asked at %s, it is of the last whole week of the timezone', async (now, period) => {
  const [page] = await pagesOf({ targetSeconds: 120 }, Date.parse(now));
  expect(page).toContain(period);
});

it('prints its queries as they can be run', async () => {
  for (const { database, query } of copies) {
    const text = await makeReport(database, { ...WEEK, sql: true });
    const statements = text.split(';\n').filter((statement) => statement.trim());
    expect(statements).toHaveLength(9);
    for (const statement of statements) await query(statement);
    expect(text).toContain(`"cxp".period('Europe/Berlin', DATE '2026-03-09', DATE '2026-03-15')`);
  }
});

describe('what it refuses', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cxp-report-'));
    const database = await DuckdbDatabase.open(join(folder, 'bare.duckdb'));
    const copy = new TableCopy(database, followedFeeds[0]!, 'demo');
    const state = await copy.open();
    await copy.store(state, {
      items: [],
      change: 1,
      cursor: 'c',
      startsOver: 'first_reading',
      isCurrent: true,
    });
    const writing = await DuckdbDatabase.open(join(folder, 'writing.duckdb'));
    const half = new TableCopy(writing, followedFeeds[0]!, 'demo', { views: true });
    await half.store(await half.open(), {
      items: [],
      change: 1,
      cursor: 'c',
      startsOver: 'first_reading',
      isCurrent: false,
    });
    await (await DuckdbDatabase.open(join(folder, 'empty.duckdb'))).transaction((run) => run('SELECT 1'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['bare', [], 'the copy has no views: run cxp-follow --once --views first'],
    ['writing', [], 'the copy is not up to date: run cxp-follow --once first'],
    ['empty', [], 'there is no copy of an area in the schema cxp: run cxp-follow --once --views first'],
    ['bare', ['--area', 'survey'], 'there is no copy of survey in the schema cxp'],
    ['none', [], 'no such file'],
    ['bare', ['--start-date', '2026-03-02', '--end-date', '2026-03-01'], 'a later or equal --end-date'],
    ['bare', ['--start-date', '2026-03-02'], 'a later or equal --end-date'],
    ['bare', ['--start-date', '2000-01-01', '--end-date', '2020-01-01'], 'a report has at most 3660 days'],
    ['bare', ['--target-seconds', '-1'], 'whole seconds'],
    ['bare', ['--target-seconds', '1.5'], 'whole seconds'],
    ['bare', ['--url', 'ftp://a', '--token', 'x'], 'ftp://a is not an http(s) URL'],
  ])('%s %j: %s', async (name, options, line) => {
    const command = followCommand();
    for (const each of [command, ...command.commands])
      each.exitOverride().configureOutput({ writeErr: () => undefined });
    const argv = ['node', 'cxp-follow', 'report', '--to', join(folder, `${name}.duckdb`), ...options];
    await expect(command.parseAsync(argv)).rejects.toThrow(line);
  });
});
