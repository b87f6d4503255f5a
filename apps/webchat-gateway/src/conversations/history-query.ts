import { IntegerParameter } from '@cxp/pagination';

const MAX_ITEMS = 100;
const DEFAULT_ITEMS = 50;

/**
 * Which part of a history: the items after a number, else those before a number, else the last ones. The number is the `sequence` of
 * messages and the `event` of events.
 */
export class HistoryQuery {
  @IntegerParameter({
    minimum: 1,
    description:
      'Items with a smaller number. The number of the first item of a page gives the page before it.',
  })
  before?: number;

  @IntegerParameter({
    minimum: 0,
    description: 'Items with a greater number, oldest first. If both are sent, `before` is ignored.',
  })
  after?: number;

  @IntegerParameter({ minimum: 1, maximum: MAX_ITEMS, default: DEFAULT_ITEMS })
  limit: number = DEFAULT_ITEMS;
}

/** One of the two kinds of history, as a repository lists it. Both lists are oldest first. */
export interface NumberedItems<Item> {
  listAfter(organizationId: string, conversationId: string, number: number, limit: number): Promise<Item[]>;
  listBefore(organizationId: string, conversationId: string, number: number, limit: number): Promise<Item[]>;
}

export interface HistoryItems<Item> {
  /** Oldest first. */
  readonly items: Item[];
  /** Whether there are more in the direction of the page. */
  readonly hasMore: boolean;
}

export async function readHistory<Item>(
  source: NumberedItems<Item>,
  organizationId: string,
  conversationId: string,
  { after, before, limit }: HistoryQuery,
): Promise<HistoryItems<Item>> {
  // One more than asked for shows whether there are more.
  const found =
    after === undefined
      ? await source.listBefore(organizationId, conversationId, before ?? Number.MAX_SAFE_INTEGER, limit + 1)
      : await source.listAfter(organizationId, conversationId, after, limit + 1);
  const items = after === undefined ? found.slice(-limit) : found.slice(0, limit);
  return { items, hasMore: found.length > limit };
}
