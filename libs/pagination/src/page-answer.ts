/** One page of a list, wherever its items come from. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

export interface CamelCasePage<Item> extends Page<Item> {
  readonly pages: number;
}

export interface SnakeCasePage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
  readonly pages: number;
}

/** How many pages hold `total` items; none for none. */
export function pageCount(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}

export function camelCasePage<Item>({ items, total, page, perPage }: Page<Item>): CamelCasePage<Item> {
  return { items, total, page, perPage, pages: pageCount(total, perPage) };
}

export function snakeCasePage<Item>({ items, total, page, perPage }: Page<Item>): SnakeCasePage<Item> {
  return { items, total, page, per_page: perPage, pages: pageCount(total, perPage) };
}
