import { setTimeout as sleep } from 'node:timers/promises';
import { Turns } from './turns';

/** Work that reports its begin and ends when the test ends it. */
function work(log: string[], name: string) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
    return name;
  };
  return { run, end };
}

const PATIENT_MS = 20_000;

it('runs work of one key in the order of its arrival, and work of another at once', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const [a1, a2, a3, b] = ['a1', 'a2', 'a3', 'b'].map((name) => work(log, name));
  const results = [
    turns.run('a', PATIENT_MS, a1!.run),
    turns.run('a', PATIENT_MS, a2!.run),
    turns.run('a', PATIENT_MS, a3!.run),
    turns.run('b', PATIENT_MS, b!.run),
  ];
  for (const { end } of [a3!, a2!, a1!, b!]) end();
  expect(await Promise.all(results)).toEqual(['a1', 'a2', 'a3', 'b']);
  expect(log.filter((line) => line.startsWith('a'))).toEqual([
    'a1 begins',
    'a1 ends',
    'a2 begins',
    'a2 ends',
    'a3 begins',
    'a3 ends',
  ]);
  expect(log.indexOf('b begins')).toBeLessThan(log.indexOf('a1 ends'));
});

it('goes on after work that failed', async () => {
  const turns = new Turns();
  const failed = turns.run('a', PATIENT_MS, () => Promise.reject(new Error('failed')));
  const next = turns.run('a', PATIENT_MS, async () => 'done');
  await expect(failed).rejects.toThrow('failed');
  await expect(next).resolves.toBe('done');
});

it('gives up work that waits too long; what comes after it still waits for what is before it', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const first = work(log, 'first');
  const running = turns.run('a', PATIENT_MS, first.run);
  const impatient = turns.run('a', 1, work(log, 'impatient').run);
  const patient = turns.run('a', PATIENT_MS, async () => log.push('patient'));
  await expect(impatient).rejects.toThrow('turn');
  await sleep(10);
  expect(log).toEqual(['first begins']);
  first.end();
  await Promise.all([running, patient]);
  expect(log).toEqual(['first begins', 'first ends', 'patient']);
});

it('keeps nothing of the work before the last, however long there is always some that waits', async () => {
  const turns = new Turns();
  const all = Array.from({ length: 5 }, (_, place) => turns.run('a', PATIENT_MS, async () => place));
  const { last } = turns as unknown as { last: Map<string, Promise<unknown>> };
  expect(await last.get('a')).toBeUndefined();
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
  expect(last.size).toBe(0);
});
