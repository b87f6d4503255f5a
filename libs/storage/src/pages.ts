import type { EntityManager } from 'typeorm';
import { memoize, textColumn, UnscopedStatement } from './statement';

/**
 * Reads the next page while one is used. Between two reads no connection or transaction is held: a client may be slow.
 * @param first read by the caller, so that its failure can be answered
 * @param nextOf the page after the given one; undefined after the last
 * @param stop ends reading for a client that is gone
 */
export async function* readAhead<Page>(
  first: Page,
  nextOf: (page: Page) => (() => Promise<Page>) | undefined,
  stop?: AbortSignal,
): AsyncGenerator<Page, void> {
  for (let page = first; ;) {
    stop?.throwIfAborted();
    const next = nextOf(page)?.();
    // Prevents an unhandled rejection: a failure is thrown where `next` is awaited.
    next?.catch(() => undefined);
    yield page;
    if (!next) return;
    page = await next;
  }
}

/** Pages in the order of ids, until one is empty. @param before the id before the first */
export async function* pagesById<Row extends { readonly id: string }>(
  before: string,
  read: (after: string) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  for (let after = before; ;) {
    const rows = await read(after);
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1)!.id;
  }
}

export function* inPieces<Item>(items: readonly Item[], count: number): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += count) yield items.slice(start, start + count);
}

/** Pieces of at most so many rows, each ended by the row with which it passes so many bytes. */
export function* inPiecesOfBytes<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
  most: { readonly rows: number; readonly bytes: number },
): Generator<readonly Row[], void> {
  let [start, bytes] = [0, 0];
  for (const [place, row] of rows.entries()) {
    bytes += row.bytes;
    if (bytes < most.bytes && place + 1 - start < most.rows && place + 1 < rows.length) continue;
    yield rows.slice(start, place + 1);
    [start, bytes] = [place + 1, 0];
  }
}

/** Rows of one statement: few organizations take one statement, and many rows of one take no more. */
const PAGE_ROWS = 500;

/** `rows` is a table, or one with a condition. */
const nextOrganizations = memoize(
  (rows: string) =>
    new UnscopedStatement(
      { after: 'text' },
      { id: textColumn('organization_id') },
      (list) => `SELECT ${list} FROM (
        SELECT organization_id FROM ${rows} AND organization_id > $after ORDER BY organization_id LIMIT ${PAGE_ROWS}
      ) AS page GROUP BY organization_id ORDER BY organization_id`,
    ),
);

/**
 * In index order. The index is read in steps that skip the rest of the last organization: a full read would grow with the rows.
 * @param condition SQL: the rows that count
 */
export async function organizationsIn(
  manager: EntityManager,
  table: string,
  condition = 'true',
): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const page = await nextOrganizations(`${table} WHERE ${condition}`).run(manager, {
      after: all.at(-1) ?? '',
    });
    if (page.length === 0) return all;
    all.push(...page.map(({ id }) => id));
  }
}
