import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexDigest, rowDigest } from '@cxp/change-feed/row-digest';
import { followCommand } from '../src';
import type { FollowedChange } from '../src/followed-feed';
import { seededRandom } from '@cxp/testing';
import { openBoth, type TestCopy } from './both-databases';
import { isoTime, keyOf, randomRow, removal, type Row, upsert } from './generated-feed';

const next = seededRandom('seal');
const random = (below: number) => Math.floor(next() * below);

let copies: readonly TestCopy[];
let close: () => Promise<void>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cxp-seal-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(async () => {
  ({ copies, close } = await openBoth({ history: true, views: true }));
});
afterEach(() => close());

/** The first 60 sessions started on March 2 in Asia/Singapore, the others on March 3; all were touched later. */
const startOf = (n: number) => isoTime(86_400 + (n < 60 ? 0 : 86_400) + n);
const LATER = isoTime(20 * 86_400);
const rows: Row[] = Array.from({ length: 120 }, (_, n) => ({
  ...randomRow(random, `c-${n}`, 0, n),
  sessionStartAt: startOf(n),
  rating: 3,
}));
const first = rows.map((row, n) => upsert(n + 1, row, LATER));

/** The command, in this process. @returns what it printed, or why it failed */
async function seal(...args: string[]): Promise<string> {
  const written: string[] = [];
  const write = jest
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const command = followCommand();
    for (const each of [command, ...command.commands])
      each.exitOverride().configureOutput({ writeErr: () => undefined });
    await command.parseAsync(['node', 'follow', 'seal', ...args]);
  } catch (error) {
    written.push((error as Error).message);
  } finally {
    write.mockRestore();
  }
  return written.join('');
}

const DAYS = ['--start-date', '2026-03-02', '--end-date', '2026-03-03'];

const ABOUT =
  '2026-03-02 to 2026-03-03, 120 rows, by the day of sessionStartAt (rows without a session: of conversationUpdatedAt) in Asia/Singapore';

async function sealed(
  copy: TestCopy,
  days = DAYS,
): Promise<{ readonly file: string; readonly said: string }> {
  const file = join(folder, 'seal');
  const said = await seal('--to', copy.target, ...days, '--output', file);
  return { file, said };
}

it('says what a period looked like, alike in both databases, and that nothing has changed', async () => {
  const texts: string[] = [];
  for (const copy of copies) {
    await copy.store({ items: first, change: 120, startsOver: 'first_reading', schedule: 'abc' });
    const { file, said } = await sealed(copy);
    expect(said).toBe(`sealed ${ABOUT}\n`);
    expect(await seal('--to', copy.target, '--check', file)).toBe(`all is as it was sealed: ${ABOUT}\n`);
    texts.push((await readFile(file, 'utf8')).replace(/^(time|sha256) .*$/gm, '$1'));
    const none = await sealed(copy, ['--start-date', '1900-01-01', '--end-date', '1900-01-02']);
    expect(none.said).toContain('1900-01-01 to 1900-01-02, no rows, ');
  }
  expect(texts[0]).toBe(texts[1]);
  // As anybody computes it.
  const digestOf = (ofDay: readonly Row[]) =>
    hexDigest(ofDay.reduce((sum, row) => sum ^ rowDigest({ key: keyOf(row), row }), 0n));
  expect(texts[0]).toMatch(
    new RegExp(
      [
        ...['^cxp seal 1', 'organization demo', 'area contact-center', 'timezone Asia/Singapore'],
        ...['days 2026-03-02 2026-03-03', 'change 120', 'schedule abc', 'time'],
        `2026-03-02 2026-03-01T16:00:00.000Z 2026-03-02T16:00:00.000Z 60 ${digestOf(rows.slice(0, 60))}`,
        `2026-03-03 2026-03-02T16:00:00.000Z 2026-03-03T16:00:00.000Z 60 ${digestOf(rows.slice(60))}`,
        'sha256\n$',
      ].join('\n'),
    ),
  );
});

it('--check names the days, rows and fields that are different, and the changes', async () => {
  for (const copy of copies) {
    const { store, target } = copy;
    await store({ items: first, change: 120, startsOver: 'first_reading', schedule: 'abc' });
    const { file } = await sealed(copy);
    const check = () => seal('--to', target, '--check', file);
    // A conversation that is only touched, one that changes back, and an erasure in another period, are no difference.
    const other = randomRow(random, 'c-other', 0, null);
    for (const item of [
      upsert(121, rows[3]!, isoTime(30 * 86_400)),
      upsert(122, { ...rows[4]!, rating: 1 }, LATER),
      upsert(123, rows[4]!, LATER),
      upsert(124, { ...other, sessionStartAt: isoTime(0) }, LATER),
    ])
      await store({ items: [item], change: item.change });
    expect(await check()).toBe(`all is as it was sealed: ${ABOUT}\n`);
    for (const item of [
      upsert(125, { ...rows[0]!, rating: 1 }, LATER),
      upsert(126, { ...rows[0]!, rating: 5 }, LATER),
      removal(127, rows[1]!, 'removed'),
      removal(128, rows[2]!, 'erased'),
      // A customer who came back after the period, in a session of it.
      upsert(
        129,
        { ...randomRow(random, 'c-new', 0, null), sessionStartAt: startOf(3) },
        isoTime(31 * 86_400),
      ),
      // To a day that is not sealed.
      upsert(130, { ...rows[60]!, sessionStartAt: isoTime(9 * 86_400) }, LATER),
      removal(131, other, 'erased'),
    ])
      await store({ items: [item], change: item.change });
    const lines = (await check()).split('\n');
    const titles = lines.filter((line) => !line.startsWith('    '));
    expect(titles.sort()).toEqual(
      [
        '2026-03-02: 60 rows when it was sealed, 59 now',
        '2026-03-03: 60 rows when it was sealed, 59 now',
        '  conversation, session, ticket: c-0 0 0: changed by change 126',
        '  conversation, session, ticket: c-1 0 1: removed by change 127',
        '  conversation, session, ticket: c-new 0 -: new by change 129',
        '  conversation, session, ticket: c-60 0 60: changed by change 130',
        '  erased or expired since, of days that are not known any more: 1 rows',
        'the period is not as it was sealed',
      ].sort(),
    );
    expect(lines).toContain('    rating: 3 -> 5');
    expect(lines).toContain(`    sessionStartAt: "${startOf(60)}" -> "${isoTime(9 * 86_400)}"`);
  }
});

it('--check shows every row that another schedule gave other business hours', async () => {
  for (const copy of copies) {
    const { store, target } = copy;
    await store({ items: first, change: 120, startsOver: 'first_reading', schedule: 'abc' });
    const { file } = await sealed(copy);
    const counted = (n: number): Row => ({
      ...rows[n]!,
      waitTimeBusinessHoursSeconds: n < 5 ? 77 : rows[n]!.waitTimeBusinessHoursSeconds,
    });
    const items = first.map((_, n) => upsert(n + 1, counted(n), LATER));
    await store({ items, change: 121, startsOver: 'human_schedule', schedule: 'other', began: 121 });
    const lines = (await seal('--to', target, '--check', file)).split('\n');
    expect(lines.filter((line) => line.includes('session, ticket:'))).toEqual(
      ['c-0 0 0', 'c-1 0 1', 'c-2 0 2', 'c-3 0 3', 'c-4 0 4'].map(
        (key) => `  conversation, session, ticket: ${key}: changed by change 121`,
      ),
    );
    expect(lines).toContain('the human schedule is another one: business hours may differ on every day');
  }
});

it('refuses seals that do not fit the copy, that were edited, or are none, in one line', async () => {
  const [copy] = copies as [TestCopy];
  const { store, target, query } = copy;
  expect(await seal('--to', target, ...DAYS)).toBe('the copy is not up to date: run cxp-follow --once first');
  expect(await seal('--to', target, '--schema', 'acme', ...DAYS)).toMatch(
    /^there is no copy of an area in the schema acme/,
  );
  await store({ items: first, change: 120, startsOver: 'first_reading' });
  const { file } = await sealed(copy);
  const text = await readFile(file, 'utf8');
  const check = async (edited: string) => {
    await writeFile(file, edited);
    return seal('--to', target, '--check', file);
  };
  expect(await check(text.replace('Z 60 ', 'Z 61 '))).toBe(
    'the seal was edited: its checksum does not fit; use the file as it was written',
  );
  expect(await check('x')).toBe('the file is no seal of cxp-follow');
  for (const [column, what] of [
    ['timezone', 'Europe/Berlin'],
    ['organization_id', 'other'],
  ] as const) {
    await query(`UPDATE cxp.follow_state SET ${column} = '${what}'`);
    expect(await check(text)).toMatch(
      /^the seal is of (timezone|organization) .*: check it against a copy of/,
    );
    await query(`UPDATE cxp.follow_state SET timezone = 'Asia/Singapore', organization_id = 'demo'`);
  }
  await query(`UPDATE cxp.follow_state SET change = 100`);
  expect(await check(text)).toMatch(/^the seal is of change 120, the copy of 100: run/);
  expect(await seal('--to', join(folder, 'none.duckdb'), ...DAYS)).toMatch(/^ENOENT/);
  for (const [last, words] of [
    ['2026-02-30', 'It must be a day'],
    ['2026-02-28', 'a later or equal --end-date'],
    ['2999-02-28', 'at most 3660 days'],
  ])
    expect(await seal('--to', target, '--start-date', '2026-03-01', '--end-date', last!)).toContain(words);
  expect(await seal('--to', target, '--check', file, ...DAYS)).toContain('--check stands alone');
});

it.each([
  ['0001-01-01T00:00:00.000Z', '0001-01-01'],
  // Singapore was ahead by 6:55:25 then.
  ['1899-12-31T17:00:00.000Z', '1899-12-31'],
  ['1899-12-31T17:04:35.000Z', '1900-01-01'],
  ['1965-07-01T16:30:00.000Z', '1965-07-02'],
  ['2999-06-30T15:59:59.999Z', '2999-06-30'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31'],
])('counts a session of %s to %s, in both databases', async (sessionStartAt, date) => {
  const row: Row = { ...rows[0]!, sessionStartAt };
  const texts: string[] = [];
  for (const copy of copies) {
    await copy.store({ items: [upsert(1, row, LATER)], change: 1, startsOver: 'first_reading' });
    const { file, said } = await sealed(copy, ['--start-date', date, '--end-date', date]);
    expect(said).toContain(`sealed ${date} to ${date}, 1 rows, `);
    texts.push((await readFile(file, 'utf8')).replace(/^(time|sha256) .*$/gm, '$1'));
  }
  expect(texts[0]).toBe(texts[1]);
});

it('seals a copy of area C by days of UTC+7, alike in both databases', async () => {
  const survey = await openBoth({}, 'survey');
  const response = (change: number, name: string, sent = '2026-03-01T17:30:00.000Z') => {
    const identifier = `00000000-0000-4000-8000-${String(change % 10).padStart(12, '0')}`;
    const row = { identifier, user_name: name, sent_timestamp: sent, opened_timestamp: null };
    const survey_campaign_id = `3b0f7c52-9d1e-4f6a-8a57-0c1d2e3f4a5${change % 2}`;
    const digest = hexDigest(rowDigest({ key: { identifier }, survey_campaign_id, row }));
    return { op: 'upsert', change, key: { identifier }, survey_campaign_id, digest, row } as FollowedChange;
  };
  const texts: string[] = [];
  for (const copy of survey.copies) {
    const { store, target } = copy;
    // The fourth is of another day in UTC+7, the fifth beyond the last one.
    const items = [response(1, 'Hoa'), response(2, 'Lan'), response(3, 'Mai')];
    items.push(response(4, 'Thu', '2026-03-01T16:59:59.999Z'), response(5, 'An', '9999-12-31T23:59:59.000Z'));
    await store({ items, change: 5, startsOver: 'first_reading' });
    const { file, said } = await sealed(copy, ['--start-date', '2026-03-02', '--end-date', '2026-03-02']);
    expect(said).toBe(
      'sealed 2026-03-02 to 2026-03-02, 3 rows, by the day of the earliest timestamp in +07:00\n',
    );
    texts.push((await readFile(file, 'utf8')).replace(/^(time|sha256) .*$/gm, '$1'));
    expect(await seal('--to', target, '--check', file)).toMatch(/^all is as it was sealed: /);
    await store({ items: [response(11, 'Hoa 2')], change: 11 });
    expect(await seal('--to', target, '--check', file)).toBe(
      `2026-03-02: 3 rows when it was sealed, 3 now\nthe period is not as it was sealed`,
    );
    const end = await sealed(copy, ['--start-date', '9999-12-30', '--end-date', '9999-12-31']);
    expect(end.said).toContain(', 1 rows, ');
  }
  await survey.close();
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]!.split('\n').slice(2, -2)).toEqual([
    ...['area survey', 'timezone +07:00', 'days 2026-03-02 2026-03-02', 'change 5', 'schedule none', 'time'],
    expect.stringMatching(`^2026-03-02 2026-03-01T17:00:00.000Z 2026-03-02T17:00:00.000Z 3 [0-9a-f]{16}$`),
  ]);
});
