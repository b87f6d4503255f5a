import { itemsJson } from '@cxp/service-kit';
import type { Change, ChangePage } from './change-feed';

/**
 * The answer of a page of changes, some at a time.
 * @param toJson changes as JSON, separated by commas
 * @param end the members that follow the items
 */
export async function* changesJson<Row>(
  pages: AsyncIterable<ChangePage<Row>>,
  toJson: (changes: readonly Change<Row>[]) => string | Buffer | Promise<string | Buffer>,
  end: (last: Omit<ChangePage<Row>, 'items'>) => object,
): AsyncGenerator<string | Buffer, void> {
  let last: Omit<ChangePage<Row>, 'items'>;
  async function* items() {
    for await (const { items, nextCursor, hasMore } of pages) {
      last = { nextCursor, hasMore };
      yield items;
    }
  }
  yield* itemsJson(items(), toJson, () => end(last));
}
