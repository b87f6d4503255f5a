import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between pauses. */
const WORK_MS = 5;
/** In lengths of the step before, while others are served. What long work reads and sends is done outside of its steps. */
const PAUSE = 3;
/** Of answers that may take minutes. */
export const STREAM_PAUSE = 8;
/** While nobody else is served: so that collections go on beside the work. Without it, they hold the event loop half as long again. */
const PAUSE_ALONE = 1;

/** Milliseconds. A client that sends one call after the other is served between two of them, too. */
const SERVED_MS = 50;
let servedAt = -SERVED_MS;

/** To be called when a request begins or ends, and for each frame of a socket: long work has pauses for the next ones. */
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
 * work and what it reads and sends leave half of the time to others. While nobody else is served, the pause is as long as the step.
 */
export function yieldToEventLoop(pause = PAUSE): Promise<void> {
  return new Promise((resume) => {
    waiting.push({ resume, pause });
    schedule();
  });
}

/** Resolves after the pause that follows a step which could not wait for its turn. */
export function pauseAfter(startOfStep: number): Promise<void> {
  return pause(lengthOfPause(startOfStep, PAUSE));
}

function lengthOfPause(startOfStep: number, pause: number): number {
  const now = performance.now();
  return (now - servedAt < SERVED_MS ? pause : PAUSE_ALONE) * (now - startOfStep);
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
  setImmediate(() => {
    beganAt = performance.now();
    resume();
  });
  // Runs after all microtasks and ticks of the step, and before others.
  setImmediate(() => {
    freeAt = performance.now() + lengthOfPause(beganAt, pause);
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
