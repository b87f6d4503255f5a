import { setTimeout as sleep } from 'node:timers/promises';

/** How long `withPauses` works before others are served, in milliseconds. */
const WORK_MS = 10;

/** Like the event loop, one for the process. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, for work that continues after others were served. One waiter continues in a turn, the one that
 * waits longest: however many long pieces of work there are, an ordinary request waits for one step of them at a time.
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
 * The items, for a loop over many of them: it yields to the event loop every few milliseconds.
 * @param stop when it aborts, the loop ends with its reason
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

/** Resolves after a time, or when the work that pauses is stopped. */
export async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}
