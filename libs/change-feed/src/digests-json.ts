import { inPieces, itemsJson } from '@cxp/service-kit';

/** Items that are written before other requests are served: a millisecond of work. */
const ITEMS_OF_A_PIECE = 1_000;

/** The digests of a window, and the last change of the organization when they were read. */
export interface Digests {
  readonly change: number;
  readonly items: readonly object[];
}

/** The answer of digests, some at a time: a window may have a hundred thousand. */
export function digestsJson({ change, items }: Digests): AsyncGenerator<string | Buffer, void> {
  return itemsJson(
    inPieces(items, ITEMS_OF_A_PIECE),
    (some) => some.map((item) => JSON.stringify(item)).join(','),
    () => ({ change }),
  );
}
