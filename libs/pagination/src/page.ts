/** The numbers of one page of a list. */
export interface Page {
  /** Items on all pages. */
  readonly total: number;
  /** From 1. */
  readonly page: number;
  readonly perPage: number;
}

/** Which items of a list a page holds. */
export function pageRange({ page, perPage }: Omit<Page, 'total'>): { offset: number; limit: number } {
  return { offset: (page - 1) * perPage, limit: perPage };
}

/** The numbers as area B answers them beside its items. */
export function camelCasePage({ total, page, perPage }: Page) {
  return { total, page, perPage, pages: pageCount(total, perPage) };
}

/** The numbers as area C answers them beside its items. */
export function snakeCasePage({ total, page, perPage }: Page) {
  return { total, page, per_page: perPage, pages: pageCount(total, perPage) };
}

/** How many pages hold `total` items: 0 for none. */
function pageCount(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}
