import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between pauses. */
const WORK_MS = 10;

/** One queue for the process, like the event loop. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a later iteration of the event loop. Each iteration resumes only the longest waiter, so that a request waits for
 * one step of long work at a time.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(resumeOne);
  });
}

function resumeOne(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(resumeOne);
}

/**
 * Yields to the event loop every few milliseconds.
 * @param stop ends the loop with its reason
 */
export async function* withPauses<Item>(
  items: Iterable<Item>,
  stop?: AbortSignal,
): AsyncGenerator<Item, void> {
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - since < WORK_MS) continue;
    await yieldToEventLoop();
    stop?.throwIfAborted();
    since = performance.now();
  }
}

export async function pause(milliseconds: number, stop?: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}
