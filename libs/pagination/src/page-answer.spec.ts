import fc from 'fast-check';
import { camelCasePage, pageCount, snakeCasePage } from './page-answer';

const page = { items: ['a', 'b'], total: 12, page: 2, perPage: 5 };

describe('a page', () => {
  it('is written in the case of its area, with nothing else', () => {
    expect(camelCasePage(page)).toEqual({ items: ['a', 'b'], total: 12, page: 2, perPage: 5, pages: 3 });
    expect(snakeCasePage(page)).toEqual({ items: ['a', 'b'], total: 12, page: 2, per_page: 5, pages: 3 });
  });

  it('leaves out what the list knows besides', () => {
    expect(snakeCasePage({ ...page, secret: 1 } as typeof page)).not.toHaveProperty('secret');
  });
});

describe('the number of pages', () => {
  it.each([
    [0, 10, 0],
    [1, 10, 1],
    [10, 10, 1],
    [11, 10, 2],
    [5, 1, 5],
  ])('for %i items, %i a page, is %i', (total, perPage, pages) => {
    expect(pageCount(total, perPage)).toBe(pages);
  });

  it('is the smallest that holds every item', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 100 }), (total, perPage) => {
        const pages = pageCount(total, perPage);
        expect(pages * perPage).toBeGreaterThanOrEqual(total);
        expect((pages - 1) * perPage).toBeLessThan(Math.max(total, 1));
      }),
    );
  });
});
