import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between pauses. */
const WORK_MS = 5;
/** In lengths of the step before. What long work reads and sends is done outside of its steps. */
const PAUSE = 2;
/** Of answers that may take minutes. */
export const STREAM_PAUSE = 5;

/** Milliseconds. A client that sends one call after the other is served between two of them, too. */
const SERVED_MS = 50;
let servedAt = -SERVED_MS;

/** To be called when a request begins or ends, and for each frame of a socket: streams pause longer for the next ones. */
export function noteServed(): void {
  servedAt = performance.now();
}

/** One queue for the process, like the event loop. */
const waiting: { readonly resume: () => void; readonly pause: number }[] = [];
let isScheduled = false;
/** When the next step may begin. */
let freeAt = 0;

/**
 * Resolves when the next step of long work may begin: one at a time, and after a pause as many times as long as the step before, so that long
 * work and what it reads and sends leave half of the time to others. What a stream goes on with in later ticks, as it encodes and writes, is
 * a part of the step only while others are served: alone, a file would take several times as long.
 */
export function yieldToEventLoop(pause = PAUSE): Promise<void> {
  return new Promise((resume) => {
    waiting.push({ resume, pause });
    schedule();
  });
}

/** Resolves after the pause that follows a step which could not wait for its turn. */
export function pauseAfter(startOfStep: number): Promise<void> {
  return pause(PAUSE * (performance.now() - startOfStep));
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  const pauseMs = freeAt - performance.now();
  // A timer waits a millisecond at least.
  if (pauseMs >= 1) setTimeout(takeStep, pauseMs);
  else takeStep();
}

function takeStep(): void {
  const { resume, pause } = waiting.shift()!;
  let beganAt: number;
  let firstTickAt: number;
  setImmediate(() => {
    beganAt = performance.now();
    resume();
    // The step runs in microtasks, and the next tick is after them.
    queueMicrotask(() => process.nextTick(() => (firstTickAt = performance.now())));
  });
  // Runs after all microtasks and ticks of the step, and before others.
  setImmediate(() => {
    const now = performance.now();
    const endedAt = now - servedAt < SERVED_MS ? now : firstTickAt;
    freeAt = now + pause * (endedAt - beganAt);
    isScheduled = false;
    schedule();
  });
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
