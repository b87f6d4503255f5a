import fs, { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ChangeBatch } from '@cxp/client';
import { ROW_FIELDS } from '@cxp/contact-center-export/derivation';
import { type ParquetRow, parquetRows } from '@cxp/spreadsheet';
import { readParquetFiles } from '@cxp/spreadsheet/parquet-testing';
import { DirectoryCopy } from './directory-copy';
import { followedAreas, type FollowedChange } from './followed-area';
import type { CopyState } from './follower';

const AREA = followedAreas.find(({ name }) => name === 'contact-center')!;
const ROW = Object.fromEntries(
  Object.entries(ROW_FIELDS).map(([name, { schema }]) => [name, schema.example]),
);

let change = 0;
const keyOf = (id: string) => ({ conversationId: id, sessionIndex: 0, ticketId: null });

function upsert(id: string, day: string, feedback = ''): FollowedChange {
  const key = keyOf(id);
  const conversationUpdatedAt = `${day}T02:00:00.000Z`;
  const row = { ...ROW, ...key, feedback };
  return {
    op: 'upsert',
    change: (change += 1),
    key,
    digest: 'd'.repeat(16),
    row,
    ...{ conversationUpdatedAt },
  };
}

const removal = (id: string): FollowedChange => ({ op: 'delete', change: (change += 1), key: keyOf(id) });

type Batch = Pick<ChangeBatch<FollowedChange>, 'items' | 'startsOver' | 'isCurrent'>;

const [MONDAY, TUESDAY, FRIDAY] = ['2026-01-05', '2026-01-06', '2026-01-09'] as const;

/** A first reading, changes, and a reading again after a resync. */
const BATCHES: readonly Batch[] = [
  { startsOver: 'first_reading', isCurrent: false, items: [upsert('a', MONDAY), upsert('b', MONDAY)] },
  { startsOver: null, isCurrent: false, items: [upsert('c', TUESDAY), upsert('b', TUESDAY)] },
  { startsOver: null, isCurrent: true, items: [upsert('d', FRIDAY)] },
  { startsOver: null, isCurrent: true, items: [upsert('a', FRIDAY), removal('d'), upsert('e', MONDAY)] },
  {
    startsOver: null,
    isCurrent: true,
    items: [removal('e'), upsert('c', TUESDAY, 'again'), upsert('b', MONDAY)],
  },
  { startsOver: 'resync', isCurrent: false, items: [upsert('a', FRIDAY, 'new'), upsert('b', MONDAY)] },
  { startsOver: null, isCurrent: false, items: [upsert('b', FRIDAY, 'new'), removal('x')] },
  { startsOver: null, isCurrent: true, items: [upsert('f', TUESDAY)] },
];

/** What is in the files after each of them, by file. */
const HELD: Readonly<Record<number, Record<string, string[]>>> = {
  2: { [MONDAY]: ['a'], [TUESDAY]: ['b', 'c'], [FRIDAY]: ['d'] },
  3: { [MONDAY]: ['e'], [TUESDAY]: ['b', 'c'], [FRIDAY]: ['a'] },
  4: { [MONDAY]: ['b'], [TUESDAY]: ['c again'], [FRIDAY]: ['a'] },
  7: { [TUESDAY]: ['f'], [FRIDAY]: ['a new', 'b new'] },
};

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cxp-directory-'));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await rm(directory, { recursive: true });
});

const copyOf = (organization = 'acme', target = directory) =>
  new DirectoryCopy(target, AREA, organization, { changes: 2, characters: 1_000_000 });

/** Stores the batches after the cursor that the directory holds, as a follower that starts does. */
async function followOn(reached: { batch: number }, onBatch = async () => {}): Promise<void> {
  const copy = copyOf();
  let state: CopyState = await copy.open();
  // Without a cursor the reading starts over; it was the last one that began.
  const begun = BATCHES.slice(0, reached.batch + 1).findLastIndex(({ startsOver }) => startsOver !== null);
  for (let index = state.cursor === null ? begun : Number(state.cursor); index < BATCHES.length; index += 1) {
    reached.batch = index;
    const batch = { ...BATCHES[index]!, change: 0, cursor: String(index + 1) };
    state = await copy.store(state, batch);
    await onBatch();
  }
}

/** What the files hold, as DuckDB reads them, or as we do, which is faster. */
async function held(
  read = async (path: string) => (await readParquetFiles(path)).rows,
): Promise<Record<string, string[]>> {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.parquet'));
  const entries = files.map(async (name): Promise<[string, string[]]> => {
    const rows = await read(join(directory, name));
    for (const row of rows) expect(row.conversationUpdatedAt).toMatch(name.slice(0, 10));
    const shown = rows.map(({ conversationId, feedback }) =>
      `${String(conversationId)} ${String(feedback)}`.trim(),
    );
    return [name.slice(0, 10), shown.sort()];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** What is in the files after a batch. */
const heldAfter = (batch: number) =>
  Object.entries(HELD).findLast(([after]) => Number(after) <= batch)?.[1] ?? {};

const idsOf = (files: Record<string, string[]>) =>
  new Set(
    Object.values(files)
      .flat()
      .map((row) => row.split(' ')[0]),
  );

const readByUs = async (path: string) =>
  (await Readable.from(parquetRows(path)).toArray()).flat() as ParquetRow[];

it('holds each row in the file of its day, and nothing of a reading before its end', async () => {
  const reached = { batch: 0 };
  let expected: Record<string, string[]> = {};
  await followOn(reached, async () => {
    expected = HELD[reached.batch] ?? expected;
    expect(await held()).toEqual(expected);
  });
  expect(expected).toEqual(HELD[7]);
});

it('has the fields, the number and the digest of a row as the feed has them', async () => {
  await followOn({ batch: 0 });
  const copied = [];
  for await (const row of copyOf().rows()) copied.push(row);
  const fed = BATCHES.slice(5).flatMap(({ items }) => items) as (FollowedChange & {
    conversationUpdatedAt: string;
  })[];
  const last = [...new Map(fed.map((item) => [item.key.conversationId, item])).values()];
  expect(copied).toEqual(
    expect.arrayContaining(
      last
        .filter(({ op }) => op === 'upsert')
        .map(({ key, row, digest, conversationUpdatedAt: extra }) => ({ key, row, digest, extra })),
    ),
  );
  const { rows } = await readParquetFiles(join(directory, `${TUESDAY}.parquet`));
  expect(rows).toMatchObject([{ change: BATCHES[7]!.items[0]!.change, digest: 'd'.repeat(16) }]);
});

it('loses and doubles nothing wherever it is killed', async () => {
  const killed = new Error('killed');
  const steps = ['rename', 'rm'] as const;
  const originals = Object.fromEntries(steps.map((step) => [step, fs[step]]));
  let kills = 0;
  for (; ; kills += 1) {
    let left = kills;
    for (const step of steps) {
      jest.spyOn(fs, step).mockImplementation((...args: unknown[]) => {
        if (left-- === 0) throw killed;
        return (originals[step] as (...args: unknown[]) => never)(...args);
      });
    }
    const reached = { batch: 0 };
    const error = await followOn(reached).catch((reason: unknown) => reason);
    jest.restoreAllMocks();
    if (error === undefined) break;
    expect(error).toBe(killed);
    const between = idsOf(await held(readByUs));
    const [before, after] = [reached.batch - 1, reached.batch].map((batch) => idsOf(heldAfter(batch)));
    const staying = [...before!].filter((id) => after!.has(id));
    expect([kills, staying.filter((id) => !between.has(id))]).toEqual([kills, []]);
    await followOn(reached);
    expect([kills, await held(readByUs)]).toEqual([kills, HELD[7]]);
    expect((await readdir(join(directory, '.cxp-follow'))).sort()).toEqual(['reading', 'state.json']);
    await rm(directory, { recursive: true });
    await fs.mkdir(directory);
  }
  expect(kills).toBeGreaterThan(30);
});

it('writes files as a whole where a call writes less than it is given', async () => {
  const file = await fs.open(join(directory, 'file'), 'w');
  await file.close();
  const handles = Object.getPrototypeOf(file) as { write: (this: object, bytes: Uint8Array) => unknown };
  const { write } = handles;
  jest.spyOn(handles, 'write').mockImplementation(function (this: object, bytes) {
    return write.call(this, bytes.subarray(0, Math.ceil(bytes.length / 2)));
  });
  await followOn({ batch: 0 });
  expect(await held()).toEqual(HELD[7]);
});

it('refuses another organization, files that are not its own, and another follower', async () => {
  const copy = copyOf();
  const state = await copy.open();
  await followOn({ batch: 0 });
  await expect(copyOf('other').open()).rejects.toThrow(/is a copy of organization acme, contact-center$/);
  const batch = { ...BATCHES[2]!, change: 0, cursor: 'x' };
  await expect(copy.store(state, batch)).rejects.toThrow(/^another follower writes to /);

  const foreign = join(directory, 'foreign');
  await fs.mkdir(foreign);
  await writeFile(join(foreign, `${MONDAY}.parquet`), '');
  await expect(copyOf('acme', foreign).open()).rejects.toThrow(/holds files that are not of cxp follow$/);
});
