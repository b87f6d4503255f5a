import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexDigest, rowDigest } from '@cxp/change-feed/row-digest';
import { followCommand } from '../src';
import type { FollowedChange } from '../src/followed-area';
import { seededRandom } from '@cxp/testing';
import { openBoth, type TestCopy } from './both-databases';
import { isoTime, randomRow, removal, type Row, upsert } from './generated-feed';

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

/** Its first 60 rows are of March 2, in Asia/Singapore, the others of March 3. */
const rows: Row[] = Array.from({ length: 120 }, (_, n) => ({
  ...randomRow(random, `c-${n}`, 0, n),
  rating: 3,
}));
const timeOf = (n: number) => isoTime(86_400 + (n < 60 ? 0 : 86_400) + n);
const first = rows.map((row, n) => upsert(n + 1, row, timeOf(n)));

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

it('says what a period looked like, alike in both databases, and that nothing has changed', async () => {
  const texts: string[] = [];
  for (const { store, target } of copies) {
    await store({ items: first, change: 120, startsOver: 'first_reading', schedule: 'abc' });
    const file = join(folder, 'seal');
    expect(await seal('--to', target, ...DAYS, '--output', file)).toBe('');
    expect(await seal('--to', target, '--check', file)).toBe('all is as it was sealed\n');
    texts.push((await readFile(file, 'utf8')).replace(/^(time|sha256) .*$/gm, '$1'));
  }
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toMatch(
    /^cxp seal 1\norganization demo\narea contact-center\ntimezone Asia\/Singapore\ndays 2026-03-02 2026-03-03\nchange 120\nschedule abc\ntime\n2026-03-02 60 [0-9a-f]{16}\n2026-03-03 60 [0-9a-f]{16}\nsha256\n$/,
  );
});

it('--check names the days, rows and fields that are different, and the changes', async () => {
  for (const { store, target } of copies) {
    await store({ items: first, change: 120, startsOver: 'first_reading' });
    const file = join(folder, 'seal');
    await seal('--to', target, ...DAYS, '--output', file);
    const items = [
      upsert(121, { ...rows[0]!, rating: 1 }, timeOf(0)),
      upsert(122, { ...rows[0]!, rating: 5 }, timeOf(0)),
      removal(123, rows[1]!, 'removed'),
      removal(124, rows[2]!, 'erased'),
      upsert(125, randomRow(random, 'c-new', 0, null), timeOf(3)),
      // To a day that is not sealed.
      upsert(126, rows[60]!, isoTime(10 * 86_400)),
    ];
    for (const item of items) await store({ items: [item], change: item.change });
    const lines = (await seal('--to', target, '--check', file)).split('\n');
    const titles = lines.filter((line) => !line.startsWith('    '));
    expect(titles.sort()).toEqual(
      [
        '2026-03-02: 60 rows when it was sealed, 59 now',
        '2026-03-03: 60 rows when it was sealed, 59 now',
        '  conversation, session, ticket: c-0 0 0: changed by change 122',
        '  conversation, session, ticket: c-1 0 1: removed by change 123',
        '  conversation, session, ticket: c-2 0 2: erased by change 124',
        '  conversation, session, ticket: c-new 0 -: new by change 125',
        '  conversation, session, ticket: c-60 0 60: changed by change 126',
        'the period is not as it was sealed',
      ].sort(),
    );
    expect(lines).toContain('    rating: 3 -> 5');
  }
});

it('refuses seals that do not fit the copy, that were edited, or are none, in one line', async () => {
  const [{ store, target, query }] = copies as [TestCopy];
  const file = join(folder, 'seal');
  expect(await seal('--to', target, ...DAYS)).toBe('the copy is not up to date: run cxp-follow --once first');
  await store({ items: first, change: 120, startsOver: 'first_reading' });
  await seal('--to', target, ...DAYS, '--output', file);
  const text = await readFile(file, 'utf8');
  const check = async (edited: string) => {
    await writeFile(file, edited);
    return seal('--to', target, '--check', file);
  };
  expect(await check(text.replace('2026-03-02 60', '2026-03-02 61'))).toBe(
    'the seal was edited: its checksum does not fit; use the file as it was written',
  );
  expect(await check('x')).toBe('the file is no seal of cxp-follow');
  for (const [column, what] of [
    ['timezone', 'Europe/Berlin'],
    ['organization_id', 'other'],
  ] as const) {
    await query(`UPDATE cxp_follow_state SET ${column} = '${what}'`);
    expect(await check(text)).toMatch(
      /^the seal is of (timezone|organization) .*: check it against a copy of/,
    );
    await query(`UPDATE cxp_follow_state SET timezone = 'Asia/Singapore', organization_id = 'demo'`);
  }
  await query(`UPDATE cxp_follow_state SET change = 100`);
  expect(await check(text)).toMatch(/^the seal is of change 120, the copy of 100: run/);
  expect(await seal('--to', join(folder, 'none.duckdb'), ...DAYS)).toMatch(/^ENOENT/);
  expect(await seal('--to', target, '--start-date', '2026-02-30', '--end-date', '2026-03-01')).toContain(
    'It must be a day',
  );
  expect(await seal('--to', target, '--check', file, ...DAYS)).toContain('--check stands alone');
});

it('seals a copy of area C: campaigns and days, alike in both databases', async () => {
  const survey = await openBoth({}, 'survey');
  const campaign = (n: number) => `3b0f7c52-9d1e-4f6a-8a57-0c1d2e3f4a5${n}`;
  const response = (change: number, name: string, sent = '2026-03-01T17:30:00.000Z') => {
    const identifier = `00000000-0000-4000-8000-${String(change % 10).padStart(12, '0')}`;
    const row = { identifier, user_name: name, sent_timestamp: sent, opened_timestamp: null };
    const survey_campaign_id = campaign(change % 2);
    const digest = hexDigest(rowDigest({ key: { identifier }, survey_campaign_id, row }));
    return { op: 'upsert', change, key: { identifier }, survey_campaign_id, digest, row } as FollowedChange;
  };
  const texts: string[] = [];
  for (const { store, target } of survey.copies) {
    // The fourth is of another day in UTC+7, the fifth beyond the last one.
    const items = [response(1, 'Hoa'), response(2, 'Lan'), response(3, 'Mai')];
    items.push(response(4, 'Thu', '2026-03-01T16:59:59.999Z'), response(5, 'An', '9999-12-31T23:59:59.000Z'));
    await store({ items, change: 5, startsOver: 'first_reading' });
    const file = join(folder, 'seal');
    expect(
      await seal('--to', target, '--start-date', '2026-03-02', '--end-date', '9999-12-31', '--output', file),
    ).toBe('');
    texts.push((await readFile(file, 'utf8')).replace(/^(time|sha256) .*$/gm, '$1'));
    expect(await seal('--to', target, '--check', file)).toBe('all is as it was sealed\n');
    await store({ items: [response(11, 'Hoa 2')], change: 11 });
    expect(await seal('--to', target, '--check', file)).toBe(
      `${campaign(1)} 2026-03-02: 2 rows when it was sealed, 2 now\nthe period is not as it was sealed`,
    );
  }
  await survey.close();
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]!.split('\n').slice(2, -2)).toEqual([
    ...[
      'area survey',
      'timezone Asia/Bangkok',
      'days 2026-03-02 9999-12-31',
      'change 5',
      'schedule none',
      'time',
    ],
    expect.stringMatching(`^${campaign(0)} 2026-03-02 1 [0-9a-f]{16}$`),
    expect.stringMatching(`^${campaign(1)} 2026-03-02 2 [0-9a-f]{16}$`),
    expect.stringMatching(`^${campaign(1)} 9999-12-31 1 [0-9a-f]{16}$`),
  ]);
});
