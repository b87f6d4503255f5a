import { setTimeout as sleep } from 'node:timers/promises';
import { Places } from './places';

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
  const turns = new Places(1);
  const log: string[] = [];
  const [a1, a2, a3, b] = ['a1', 'a2', 'a3', 'b'].map((name) => work(log, name));
  const results = [
    turns.run('a', a1!.run, PATIENT_MS),
    turns.run('a', a2!.run, PATIENT_MS),
    turns.run('a', a3!.run, PATIENT_MS),
    turns.run('b', b!.run, PATIENT_MS),
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
  const turns = new Places(1);
  const failed = turns.run('a', () => Promise.reject(new Error('failed')), PATIENT_MS);
  const next = turns.run('a', async () => 'done', PATIENT_MS);
  await expect(failed).rejects.toThrow('failed');
  await expect(next).resolves.toBe('done');
});

it('gives up work that waits too long; what comes after it still waits for what is before it', async () => {
  const turns = new Places(1);
  const log: string[] = [];
  const first = work(log, 'first');
  const running = turns.run('a', first.run, PATIENT_MS);
  const impatient = turns.run('a', work(log, 'impatient').run, 1);
  const patient = turns.run('a', async () => log.push('patient'), PATIENT_MS);
  await expect(impatient).rejects.toThrow('takes too long');
  await sleep(10);
  expect(log).toEqual(['first begins']);
  first.end();
  await Promise.all([running, patient]);
  expect(log).toEqual(['first begins', 'first ends', 'patient']);
});

it('lets no more work begin at once when work that waited gives up', async () => {
  const places = new Places(2);
  const log: string[] = [];
  const [one, two] = [work(log, 'one'), work(log, 'two')];
  const running = [places.run('a', one.run), places.run('a', two.run)];
  for (let n = 0; n < 3; n++)
    await expect(places.run('a', async () => log.push('late'), 1)).rejects.toThrow();
  const last = places.run('a', async () => log.push('last'), Infinity);
  await sleep(10);
  expect(log).toEqual(['one begins', 'two begins']);
  one.end();
  await last;
  two.end();
  await Promise.all(running);
  expect(log).toEqual(['one begins', 'two begins', 'one ends', 'last', 'two ends']);
});

it('keeps nothing of work that is over', async () => {
  const places = new Places(1);
  const all = Array.from({ length: 5 }, (_, place) => places.run('a', async () => place, PATIENT_MS));
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
  const { running, waiting } = places as unknown as {
    running: Map<string, number>;
    waiting: Map<string, unknown>;
  };
  expect([running.size, waiting.size]).toEqual([0, 0]);
});
