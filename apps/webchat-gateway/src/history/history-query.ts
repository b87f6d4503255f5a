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
