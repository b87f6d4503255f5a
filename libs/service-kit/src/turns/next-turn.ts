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

/** Items that are there already, some at a time. */
export function* inPieces<Item>(items: readonly Item[], count: number): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += count) yield items.slice(start, start + count);
}
