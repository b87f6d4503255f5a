import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailableError } from '../failures';
import { KeyedLimit, type KeyedLimitOptions } from './keyed-limit';

const LONG_MS = 20_000;

/** A limit, and work that is under way until the test ends it. */
function limited(options: Partial<KeyedLimitOptions> = {}) {
  const limit = new KeyedLimit({ places: 1, waitMs: LONG_MS, ...options });
  const begun: string[] = [];
  const work = (name: string, key = 'a') => {
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const result = limit.run(key, async () => {
      begun.push(name);
      await ended;
      return name;
    });
    return { end, result };
  };
  return { limit, begun, work };
}

const tick = () => sleep(5);

it('runs so much work of a key at once, in the order of its arrival, and that of another one beside', async () => {
  const { begun, work } = limited({ places: 2 });
  const [one, two, three, four, foreign] = [
    ...['1', '2', '3', '4'].map((name) => work(name)),
    work('foreign', 'b'),
  ] as const;
  await tick();
  expect(begun).toEqual(['1', '2', 'foreign']);
  two!.end();
  expect(await two!.result).toBe('2');
  await tick();
  expect(begun).toEqual(['1', '2', 'foreign', '3']);
  for (const { end } of [one, three!, four!, foreign!]) end();
  expect(await four!.result).toBe('4');
});

it('goes on after work that failed', async () => {
  const { limit } = limited();
  const failed = limit.run('a', () => Promise.reject(new Error('failed')));
  const next = limit.run('a', async () => 'done');
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('done');
});

it('gives up work that waits too long, which then holds no place', async () => {
  const { begun, work } = limited({ waitMs: 20 });
  const first = work('first');
  await expect(work('late').result).rejects.toThrow(DependencyUnavailableError);
  first.end();
  await first.result;
  const next = work('next');
  next.end();
  expect(await next.result).toBe('next');
  expect(begun).toEqual(['first', 'next']);
});

it('gives up work that nobody waits for any more', async () => {
  const { limit, begun, work } = limited();
  const first = work('first');
  const client = new AbortController();
  const left = limit.run('a', async () => begun.push('left'), client.signal);
  client.abort(new Error('the client is gone'));
  await expect(left).rejects.toThrow('the client is gone');
  expect(limit.waitingCount).toBe(0);
  await expect(limit.run('b', async () => begun.push('late'), client.signal)).rejects.toThrow('gone');
  first.end();
  await first.result;
  expect(begun).toEqual(['first']);
});

it('refuses work at once if too much waits, and keeps nothing of work that is over', async () => {
  const { limit, work } = limited({ maxWaiting: 2 });
  const all = ['1', '2', '3'].map((name) => work(name));
  await expect(work('4').result).rejects.toThrow(DependencyUnavailableError);
  expect(limit.waitingCount).toBe(2);
  for (const { end } of all) end();
  expect(await Promise.all(all.map(({ result }) => result))).toEqual(['1', '2', '3']);
  expect(limit).toMatchObject({ running: new Map(), waiting: new Map(), waitingCount: 0 });
});
