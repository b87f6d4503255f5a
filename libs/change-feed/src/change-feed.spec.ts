import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { UnscopedStatement } from '@cxp/storage';
import { eventually, runs } from '@cxp/testing';
import { createFruitFeed, type Fruit, type FruitFeed } from '../test/fruit-feed';
import { ChangeAnswers } from './change-answers';
import type { Change, ChangePage } from './change-feed';

let fruits: FruitFeed;
let organizationId: string;
let organizations = 0;

beforeAll(async () => {
  fruits = await createFruitFeed();
});
beforeEach(() => {
  organizationId = `organization-${++organizations}`;
});
afterAll(() => fruits.drop());

const page = (cursor?: string, limit = 500): Promise<ChangePage<Fruit>> =>
  fruits.page(organizationId, { cursor, limit });

/** Reads to the end and applies every change to a copy. */
async function follow(copy: Map<string, string>, cursor?: string, limit = 500): Promise<string> {
  for (;;) {
    const { items, nextCursor, hasMore } = await page(cursor, limit);
    for (const item of items) apply(copy, item);
    cursor = nextCursor;
    if (!hasMore) return cursor;
  }
}

function apply(copy: Map<string, string>, item: Change<Fruit>): void {
  if (item.op === 'upsert') copy.set(item.row.name, item.row.colour);
  if (item.op === 'delete') copy.delete((JSON.parse(item.key) as { name: string }).name);
}

const problem = (code: string) => expect.objectContaining({ problem: expect.objectContaining({ code }) });

describe('the pages of many calls', () => {
  it('are read and written one after the other in an organization, beside those of another one', async () => {
    const answers = new ChangeAnswers(fruits.feed);
    const other = `${organizationId}-other`;
    await fruits.store(organizationId, { apple: 'red' });
    await fruits.store(other, { pear: 'green' });
    const left = new AbortController();
    const [begun, goOn]: [string[], (() => void)[]] = [[], []];
    const answered = (of: string, signal?: AbortSignal) =>
      answers.page(of, { limit: 10, signal }, () => ({
        items: async () => {
          begun.push(of);
          await new Promise<void>((resolve) => goOn.push(resolve));
          return ['{}'];
        },
        end: (reached) => reached,
      }));
    const first = answered(organizationId);
    await eventually(() => begun.length === 1);
    const gone = answered(organizationId, left.signal);
    const late = answered(other);
    await eventually(() => begun.includes(other));
    expect(begun).toEqual([organizationId, other]);
    left.abort(new Error('the client has gone'));
    await expect(gone).rejects.toThrow('the client has gone');
    goOn.forEach((resolve) => resolve());
    await Promise.all([first, late]);
    expect(begun).toHaveLength(2);
  });
});

describe('a reading', () => {
  it('says exactly whether there is more', async () => {
    await fruits.store(organizationId, { apple: 'red', pear: 'green', plum: 'blue' });
    const first = await page(undefined, 2);
    expect(first).toMatchObject({ items: [{ change: 1 }, { change: 2 }], hasMore: true });
    expect(await page(first.nextCursor, 1)).toMatchObject({ items: [{ change: 3 }], hasMore: false });
  });

  it('is answered up to the item with which its text would pass 1 MiB, and at least one', async () => {
    const answers = new ChangeAnswers(fruits.feed);
    const answered = async (cursor?: string) => {
      const text = await answers.page(organizationId, { cursor, limit: 10 }, () => ({
        items: (changes) =>
          changes.map(({ change, op }) =>
            JSON.stringify({ op, change, text: 'x'.repeat(change === 4 ? 2e6 : 4e5) }),
          ),
        end: (reached) => reached,
      }));
      const { items, ...rest } = JSON.parse(text.toString()) as ChangePage<Fruit>;
      return { ...rest, changes: items.map(({ change }) => change) };
    };
    await fruits.store(organizationId, {
      apple: 'red',
      pear: 'green',
      plum: 'blue',
      fig: 'green',
      lime: 'green',
    });
    const pages = [await answered()];
    while (pages.at(-1)!.hasMore) pages.push(await answered(pages.at(-1)!.nextCursor));
    expect(pages.map(({ changes, change }) => ({ changes, change }))).toEqual([
      { changes: [1, 2], change: 2 },
      { changes: [3], change: 3 },
      { changes: [4], change: 4 },
      { changes: [5], change: 5 },
    ]);
  });

  it('that begins after a removal does not hear of it', async () => {
    await fruits.store(organizationId, { apple: 'red', pear: 'green' });
    await fruits.store(organizationId, { apple: null });
    expect((await page()).items).toMatchObject([{ op: 'upsert', row: { name: 'pear' } }]);
  });

  it('hears of a key that is removed and comes back only once', async () => {
    await fruits.store(organizationId, { apple: 'red' });
    const { nextCursor } = await page();
    await fruits.store(organizationId, { apple: null });
    await fruits.store(organizationId, { apple: 'green' });
    expect((await page(nextCursor)).items).toMatchObject([{ op: 'upsert', row: { colour: 'green' } }]);
  });

  it('ends with the rows that there are, however changes and pages follow each other', async () => {
    const transaction = fc.dictionary(
      fc.constantFrom('apple', 'pear', 'plum', 'fig'),
      fc.option(fc.constantFrom('red', 'green', 'blue')),
      { minKeys: 1, noNullPrototype: true },
    );
    const step = fc.oneof(transaction, fc.integer({ min: 1, max: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        organizationId = `organization-${++organizations}`;
        const copy = new Map<string, string>();
        let cursor: string | undefined;
        for (const each of steps) {
          if (typeof each !== 'number') {
            await fruits.store(organizationId, each);
            continue;
          }
          const { items, nextCursor } = await page(cursor, each);
          for (const item of items) apply(copy, item);
          cursor = nextCursor;
        }
        await follow(copy, cursor);
        expect(Object.fromEntries(copy)).toEqual(await fruits.rows(organizationId));
      }),
      { numRuns: runs(7) },
    );
  });
});

describe('a stream of large rows', () => {
  it('has all of them, some at a time', async () => {
    const large = 'red'.repeat(700_000);
    await fruits.store(organizationId, { apple: large, pear: large, plum: large, fig: large, kiwi: large });
    const reads = [];
    for await (const { items } of await fruits.feed.stream(organizationId, undefined)) {
      reads.push(items.map(({ change }) => change));
    }
    expect(reads).toEqual([[1], [2], [3], [4], [5]]);
  });
});

describe('numbers', () => {
  it('never appear below one that was answered, with any number of writers', async () => {
    const names = Array.from({ length: 20 }, (_, number) => `fruit ${number}`);
    let writing = true;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let round = 0; round < 40; round++) {
        const name = names[(round * 7 + writer) % names.length]!;
        const colour = round % 5 === 4 ? null : `${writer} ${round}`;
        await fruits.store(organizationId, { [name]: colour }, () => sleep((round * writer) % 4));
      }
    });
    const copy = new Map<string, string>();
    const reader = (async () => {
      let cursor: string | undefined;
      let last = 0;
      while (writing) {
        const { items, nextCursor } = await page(cursor, 3);
        for (const item of items) {
          expect(item.change).toBeGreaterThan(last);
          last = item.change;
          apply(copy, item);
        }
        cursor = nextCursor;
      }
      await follow(copy, cursor);
    })();
    await Promise.all(writers).finally(() => (writing = false));
    await reader;
    expect(Object.fromEntries(copy)).toEqual(await fruits.rows(organizationId));
  });

  it('that no transaction was committed for are used again', async () => {
    await expect(
      fruits.store(organizationId, { apple: 'red' }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    await fruits.store(organizationId, { pear: 'green' });
    expect((await page()).items).toMatchObject([{ change: 1 }]);
  });
});

describe('a cursor', () => {
  it('is expired exactly when a removal that it has not seen was pruned', async () => {
    await fruits.store(organizationId, { apple: 'red', pear: 'green' });
    const before = (await page()).nextCursor;
    const unfinished = (await page(undefined, 1)).nextCursor;
    await fruits.store(organizationId, { apple: null });
    const after = (await page(before)).nextCursor;
    const begunAfter = (await page(undefined, 1)).nextCursor;
    await fruits.store(organizationId, { pear: 'yellow' });
    await fruits.maintenance.prune(new Date(Date.now() + 1_000));

    await expect(page(before)).rejects.toEqual(problem('cursor_expired'));
    await expect(page(unfinished)).rejects.toEqual(problem('cursor_expired'));
    expect((await page(after)).items).toMatchObject([{ op: 'upsert', row: { colour: 'yellow' } }]);
    expect((await page(begunAfter)).items).toMatchObject([{ op: 'upsert', row: { colour: 'yellow' } }]);
    expect((await page()).items).toHaveLength(1);
  });

  it('is not expired by a removal whose key came back before it was pruned', async () => {
    await fruits.store(organizationId, { apple: 'red' });
    const { nextCursor } = await page();
    await fruits.store(organizationId, { apple: null });
    await fruits.store(organizationId, { apple: 'green' });
    await fruits.maintenance.prune(new Date(Date.now() + 1_000));
    expect((await page(nextCursor)).items).toMatchObject([{ op: 'upsert' }]);
  });
});

describe('a cursor of a database that was restored', () => {
  it.each([
    [
      'from a dump, by pg_restore --clean',
      `CREATE TABLE fruit.restored (LIKE fruit.change_feed INCLUDING ALL);
       INSERT INTO fruit.restored SELECT * FROM dumped;
       DROP TABLE fruit.change_feed;
       ALTER TABLE fruit.restored RENAME TO change_feed`,
    ],
    [
      'from a dump of the data alone, into tables that were emptied',
      'TRUNCATE fruit.change_feed; INSERT INTO fruit.change_feed SELECT * FROM dumped',
    ],
  ])('%s, is expired, although other changes have its numbers now', async (_, restore) => {
    await fruits.store(organizationId, { apple: 'red' });
    const { nextCursor } = await page();
    await fruits.dataSource.transaction(async (manager) => {
      await manager.query('CREATE TEMPORARY TABLE dumped ON COMMIT DROP AS SELECT * FROM fruit.change_feed');
      await manager.query(restore);
    });
    await fruits.store(organizationId, { pear: 'green' });
    await expect(page(nextCursor)).rejects.toEqual(problem('cursor_expired'));
    expect(await page((await page()).nextCursor)).toMatchObject({ items: [] });
  });

  it('from a dump, as another database, is expired', async () => {
    const { nextCursor } = await page();
    const [{ row }] = await fruits.dataSource.query('SELECT e::text AS row FROM fruit.change_epoch AS e');
    const copy = await createFruitFeed();
    await copy.dataSource.query('DELETE FROM fruit.change_epoch');
    await copy.dataSource.query('INSERT INTO fruit.change_epoch SELECT ($1::fruit.change_epoch).*', [row]);
    const read = copy.page(organizationId, { cursor: nextCursor, limit: 1 });
    await expect(read).rejects.toEqual(problem('cursor_expired'));
    await copy.drop();
  });
});

describe('waiting', () => {
  it('ends as soon as there is something, and holds no connection', async () => {
    const waiting = Array.from({ length: 200 }, () =>
      fruits.page(organizationId, { limit: 10, waitMs: 20_000 }),
    );
    await eventually(() => fruits.watch.waiting >= 200);
    await fruits.store(organizationId, { apple: 'red' });
    for (const answer of await Promise.all(waiting)) expect(answer.items).toHaveLength(1);
    expect(fruits.watch.waiting).toBe(0);
  });

  it('lasts so long that one follower makes fewer than 20 requests a second, whatever changes', async () => {
    let shortest = Infinity;
    for (let request = 0; request < 10; request++) {
      await fruits.store(organizationId, { apple: `red ${request}` });
      const startedAt = performance.now();
      await fruits.page(organizationId, { limit: 10, waitMs: 20_000 });
      shortest = Math.min(shortest, performance.now() - startedAt);
    }
    expect(shortest).toBeGreaterThan(1_000 / 20);
  });

  it('of any number of readers costs one statement at a time, and ends for all of them at once', async () => {
    const query = jest.spyOn(UnscopedStatement.prototype, 'run');
    const ids = Array.from({ length: 100 }, () => `organization-${++organizations}`);
    const startedAt = performance.now();
    const waiting = ids.map((id) => fruits.page(id, { limit: 10, waitMs: 20_000 }));
    await eventually(() => fruits.watch.waiting >= 100);
    query.mockClear();
    await sleep(500);
    expect(query.mock.calls.length).toBeLessThanOrEqual((performance.now() - startedAt) / 100);
    query.mockRestore();
    await fruits.dataSource.query(
      `INSERT INTO fruit.change_feed (organization_id, last) SELECT *, 1 FROM unnest($1::text[])`,
      [ids],
    );
    const storedAt = performance.now();
    await Promise.all(waiting);
    // One by one they would take ten.
    expect(performance.now() - storedAt).toBeLessThan(5_000);
  });

  it('is not ended by changes of others, and ends with its time', async () => {
    const answer = fruits.page(organizationId, { limit: 10, waitMs: 400 });
    await fruits.store('somebody else', { apple: 'red' });
    expect(await answer).toMatchObject({ items: [], hasMore: false });
  });
});
