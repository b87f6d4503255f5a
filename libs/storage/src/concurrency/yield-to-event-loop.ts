import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between pauses. */
const WORK_MS = 5;
/** In lengths of the step before. What long work reads and sends is done outside of its steps. */
export const PAUSE = 2;
/** Of answers that may take minutes. */
export const STREAM_PAUSE = 5;

/** One queue for the process, like the event loop. */
const waiting: { readonly resume: () => void; readonly pause: number }[] = [];
let isScheduled = false;
/** When the next step may begin. */
let freeAt = 0;

/**
 * Resolves when the next step of long work may begin: one at a time, and after a pause as many times as long as the step before, so that long
 * work and what it reads and sends leave half of the time to requests.
 */
export function yieldToEventLoop(pause = PAUSE): Promise<void> {
  return new Promise((resume) => {
    waiting.push({ resume, pause });
    schedule();
  });
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  const pauseMs = freeAt - performance.now();
  // A timer waits a millisecond at least.
  if (pauseMs >= 1) setTimeout(resumeOne, pauseMs);
  else setImmediate(resumeOne);
}

function resumeOne(): void {
  const since = performance.now();
  const { resume, pause } = waiting.shift()!;
  resume();
  // The step runs in microtasks, and the next tick is after them.
  queueMicrotask(() =>
    process.nextTick(() => {
      const now = performance.now();
      freeAt = now + pause * (now - since);
      isScheduled = false;
      schedule();
    }),
  );
}

/**
 * Yields to the event loop every few milliseconds.
 * @param stop ends the loop with its reason
 */
export async function* withPauses<Item>(
  items: Iterable<Item>,
  pause = PAUSE,
  stop?: AbortSignal,
): AsyncGenerator<Item, void> {
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - since < WORK_MS) continue;
    await yieldToEventLoop(pause);
    stop?.throwIfAborted();
    since = performance.now();
  }
}

export async function pause(milliseconds: number, stop?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}
