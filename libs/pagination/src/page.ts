export interface Page {
  /** Counts all pages. */
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
}

export function pageRange({ page, perPage }: Omit<Page, 'total'>): { offset: number; limit: number } {
  return { offset: (page - 1) * perPage, limit: perPage };
}

export function camelCasePage({ total, page, perPage }: Page) {
  return { total, page, perPage, pages: pageCount(total, perPage) };
}

export function snakeCasePage({ total, page, perPage }: Page) {
  return { total, page, per_page: perPage, pages: pageCount(total, perPage) };
}

function pageCount(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}
