/**
 * Pages, of which PostgreSQL reads the next one while one is used: two of them are held. Between two reads nothing is held, neither a
 * connection nor a transaction, so that a client may take as long as it likes.
 * @param first the first page, so that its failure can be answered before anything is sent
 * @param nextOf what reads the page after the given one; undefined after the last one
 * @param stop nothing is read for a client that is gone
 */
export async function* readAhead<Page>(
  first: Page,
  nextOf: (page: Page) => (() => Promise<Page>) | undefined,
  stop?: AbortSignal,
): AsyncGenerator<Page, void> {
  for (let page = first; ;) {
    stop?.throwIfAborted();
    const next = nextOf(page)?.();
    // Its failure is thrown when it is awaited, and never if it is not.
    next?.catch(() => undefined);
    yield page;
    if (!next) return;
    page = await next;
  }
}

/** Items that are there already, some at a time. */
export function* inPieces<Item>(items: readonly Item[], count: number): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += count) yield items.slice(start, start + count);
}
