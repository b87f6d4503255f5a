import { nextTurn } from '@cxp/service-kit';

/** How long items are worked on before other requests are served, in milliseconds. */
const TURN_MS = 10;

/**
 * The items, for a loop that works on each of them: between two of them other requests are served, if the loop has taken its turn. What
 * belongs to one conversation can be ten thousand rows, and is worked on as often as it is read, compared and counted.
 * @param stop when it aborts, the loop ends with its reason
 */
export async function* inTurns<Item>(items: Iterable<Item>, stop?: AbortSignal): AsyncGenerator<Item, void> {
  let since = performance.now();
  for (const item of items) {
    yield item;
    if (performance.now() - since < TURN_MS) continue;
    await nextTurn();
    stop?.throwIfAborted();
    since = performance.now();
  }
}
