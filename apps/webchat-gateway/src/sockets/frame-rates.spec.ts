import { setTimeout as sleep } from 'node:timers/promises';
import { type FrameRate, FrameRates } from './frame-rates';

const WINDOW_MS = 20;

/** A socket with so many frames; it notes its name for each that is allowed. */
function socket(name: string, frames: number, rates: readonly FrameRate[], log: string[]) {
  return {
    actOnWaiting() {
      while (frames > 0 && rates.every((rate) => rate.allows(this))) {
        for (const rate of rates) rate.take(1);
        frames -= 1;
        log.push(name);
      }
    },
  };
}

it('sockets share a rate in turns; what one session has used up leaves the rest to others', async () => {
  const [sessions, organizations] = [new FrameRates(4, WINDOW_MS), new FrameRates(6, WINDOW_MS)];
  const log: string[] = [];
  const open = (session: string, frames: number) =>
    socket(session, frames, [sessions.join(session), organizations.join('o')], log);
  const opened = [open('a', 10), open('a', 2), open('b', 5)];
  const startedAt = performance.now();
  for (const each of opened) each.actOnWaiting();
  expect(log.join('')).toBe('aaaabb');
  while (log.length < 17) await sleep(1);
  // Of 17 frames, six in a window.
  expect(performance.now() - startedAt).toBeGreaterThan(1.7 * WINDOW_MS);
  expect(log.slice(0, 12).filter((name) => name === 'b').length).toBeGreaterThanOrEqual(3);
});

it('a large frame counts as several, of later windows, too', async () => {
  const rate = new FrameRates(2, WINDOW_MS).join('a');
  let acted = 0;
  const waiter = {
    actOnWaiting() {
      while (acted < 3 && rate.allows(this)) {
        rate.take(5);
        acted += 1;
      }
    },
  };
  const startedAt = performance.now();
  waiter.actOnWaiting();
  expect(acted).toBe(1);
  while (acted < 3) await sleep(1);
  // 15 of two in a window.
  expect(performance.now() - startedAt).toBeGreaterThan(3.9 * WINDOW_MS);
});

it('counts the sockets of each key while they are open', () => {
  const rates = new FrameRates(1, WINDOW_MS);
  const waiter = { actOnWaiting: () => undefined };
  for (const key of ['a', 'a', 'b']) rates.join(key);
  expect([rates.size, rates.sizeOf('a'), rates.sizeOf('c')]).toEqual([3, 2, 0]);
  rates.leave('a', waiter);
  rates.leave('b', waiter);
  expect([rates.size, rates.sizeOf('a'), rates.sizeOf('b')]).toEqual([1, 1, 0]);
});
