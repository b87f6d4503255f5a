import { setImmediate } from 'node:timers/promises';
import { DependencyUnavailableError } from '../failures';
import { GroupCommit, type GroupCommitOptions } from './group-commit';

type Commit<Item> = GroupCommitOptions<Item, Item>['commit'];

function groupCommit<Item>(commit: Commit<Item>, options: Partial<GroupCommitOptions<Item, Item>> = {}) {
  const commitAlone = async (item: Item) => (await commit([item]))[0]!;
  return new GroupCommit<Item, Item>({ maxItems: 3, waitMs: 20_000, commit, commitAlone, ...options });
}

it('commits what comes during a commit by the next one, one at a time, each item once', async () => {
  const commits: number[][] = [];
  const late: Promise<number>[] = [];
  let underWay = 0;
  const group = groupCommit(async (items: readonly number[]) => {
    expect(++underWay).toBe(1);
    commits.push([...items]);
    if (late.length === 0) late.push(...[3, 4, 5, 6].map((item) => group.add(item)));
    await setImmediate();
    underWay--;
    return items;
  });
  expect(await Promise.all([1, 2].map((item) => group.add(item)))).toEqual([1, 2]);
  expect(await Promise.all(late)).toEqual([3, 4, 5, 6]);
  expect(commits).toEqual([[1, 2], [3, 4, 5], [6]]);
});

it('commits as many at a time as may be, but never two items of the same key', async () => {
  const commits: string[][] = [];
  const underWay = new Set<string>();
  let running = 0;
  let most = 0;
  const group = groupCommit(
    async (items: readonly string[]) => {
      commits.push([...items]);
      for (const [key] of items) expect(underWay).not.toContain(key);
      for (const [key] of items) underWay.add(key!);
      most = Math.max(most, ++running);
      for (let turns = 0; turns < 3; turns++) await setImmediate();
      for (const [key] of items) underWay.delete(key!);
      running--;
      return items;
    },
    { keyOf: ([first]) => first, maxCommits: 2 },
  );
  const added: Promise<string>[] = [];
  for (const item of ['a1', 'a2', 'b1', 'a3', 'c1', 'c2', 'd1', 'a4']) {
    added.push(group.add(item));
    await setImmediate();
  }
  expect(await Promise.all(added)).toEqual(['a1', 'a2', 'b1', 'a3', 'c1', 'c2', 'd1', 'a4']);
  expect(commits.flat().filter(([key]) => key === 'a')).toEqual(['a1', 'a2', 'a3', 'a4']);
  expect(most).toBe(2);
});

it('commits groups apart, and a group that waits holds up no other one', async () => {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const group = groupCommit(
    async (items: readonly string[]) => {
      if (items.includes('a1')) await released;
      return items;
    },
    { groupOf: ([first]) => first! },
  );
  const waiting = [group.add('a1'), group.add('a2')];
  expect(await Promise.all([group.add('b1'), group.add('b2')])).toEqual(['b1', 'b2']);
  release();
  expect(await Promise.all(waiting)).toEqual(['a1', 'a2']);
});

it('commits an item alone that would have held up the others, and does not wait for it', async () => {
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const group = groupCommit(
    (items: readonly string[]) =>
      Promise.resolve(items.map((item) => (item === 'locked' ? undefined : item))),
    {
      commitAlone: async (item) => {
        await released;
        return `${item} alone`;
      },
    },
  );
  const locked = group.add('locked');
  expect(await group.add('a')).toBe('a');
  expect(await group.add('b')).toBe('b');
  release();
  expect(await locked).toBe('locked alone');
});

it('an item that waits too long fails, and is not committed later', async () => {
  const commits: string[][] = [];
  let release!: () => void;
  const released = new Promise<void>((resolve) => (release = resolve));
  const group = groupCommit(
    async (items: readonly string[]) => {
      commits.push([...items]);
      await released;
      return items;
    },
    { waitMs: 50 },
  );
  const first = group.add('first');
  await setImmediate();
  await expect(group.add('late')).rejects.toThrow(DependencyUnavailableError);
  release();
  expect(await first).toBe('first');
  expect(commits).toEqual([['first']]);
});

it('an item that cannot be committed fails alone', async () => {
  const group = groupCommit((items: readonly string[]) =>
    items.includes('bad') ? Promise.reject(new Error('bad')) : Promise.resolve(items),
  );
  const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map((item) => group.add(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('if the database is unavailable all items of the commit fail, and later ones are committed', async () => {
  let isUp = false;
  let commits = 0;
  const group = groupCommit((items: readonly string[]) => {
    commits++;
    return isUp ? Promise.resolve(items) : Promise.reject(new DependencyUnavailableError('down'));
  });
  const outcomes = await Promise.allSettled(['a', 'b'].map((item) => group.add(item)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(commits).toBe(1);
  isUp = true;
  expect(await group.add('c')).toBe('c');
});
