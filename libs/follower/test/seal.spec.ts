import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { followCommand } from '../src';
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
