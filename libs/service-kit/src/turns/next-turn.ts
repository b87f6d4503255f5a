import { setTimeout as sleep } from 'node:timers/promises';

const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, for work that continues after others were served. One waiter continues in a turn, the one that
 * waits longest: however many long pieces of work there are, an ordinary request waits for one step of them at a time.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(goOn);
}

/** Resolves after a time, or when the work that pauses is stopped. */
export async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal: stop }).catch(() => undefined);
}
