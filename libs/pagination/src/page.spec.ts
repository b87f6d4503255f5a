import fc from 'fast-check';
import { camelCasePage, pageRange, snakeCasePage } from './page';

const page = { total: 12, page: 2, perPage: 5 };

describe('a page', () => {
  it('is answered in the case of its area, with nothing else', () => {
    expect(camelCasePage(page)).toEqual({ total: 12, page: 2, perPage: 5, pages: 3 });
    expect(snakeCasePage(page)).toEqual({ total: 12, page: 2, per_page: 5, pages: 3 });
    expect(snakeCasePage({ ...page, offset: 5 } as typeof page)).not.toHaveProperty('offset');
  });

  it.each([
    [0, 10, 0],
    [1, 10, 1],
    [10, 10, 1],
    [11, 10, 2],
    [5, 1, 5],
  ])('is one of as many as %i items at %i a page need: %i', (total, perPage, pages) => {
    expect(camelCasePage({ total, page: 1, perPage })).toMatchObject({ pages });
    expect(snakeCasePage({ total, page: 1, perPage })).toMatchObject({ pages });
  });

  it('together with the other pages holds every item once', () => {
    fc.assert(
      fc.property(fc.nat(1_000), fc.integer({ min: 1, max: 100 }), (total, perPage) => {
        const items = Array.from({ length: total }, (_, index) => index);
        const { pages } = camelCasePage({ total, page: 1, perPage });
        const paged = Array.from({ length: pages }, (_, index) => {
          const { offset, limit } = pageRange({ page: index + 1, perPage });
          return items.slice(offset, offset + limit);
        });
        expect(paged.flat()).toEqual(items);
        expect(paged.every((held) => held.length > 0)).toBe(true);
      }),
    );
  });
});
