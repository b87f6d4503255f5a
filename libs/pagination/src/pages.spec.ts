import '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { camelCasePage, IntegerParameter, pageRange, snakeCasePage } from './pages';

class Query {
  @IntegerParameter({ minimum: -3, maximum: 999_999_999_999_999 })
  page?: number;
}

function pageOf(page: unknown): number | undefined {
  const query = plainToInstance(Query, { page });
  return validateSync(query).length === 0 ? query.page : undefined;
}

describe('IntegerParameter', () => {
  it.each<[string, number]>([
    ['1', 1],
    ['0', 0],
    ['-3', -3],
    ['+3', 3],
    ['007', 7],
    [' 5 ', 5],
    ['999999999999999', 999_999_999_999_999],
  ])('reads %j', (text, page) => {
    expect(pageOf(text)).toBe(page);
  });

  it.each<unknown>([
    '',
    ' ',
    'x',
    '1.0',
    '1e3',
    '0x10',
    '1,000',
    '1 2',
    '٣',
    'Infinity',
    '9'.repeat(16),
    ['1', '2'],
    { a: '1' },
  ])('leaves %j to fail as no integer', (value) => {
    expect(pageOf(value)).toBeUndefined();
  });

  it.each(['-4', '1000000000000000'])('refuses %s, which is out of its range', (text) => {
    expect(pageOf(text)).toBeUndefined();
  });

  it('may be left out', () => {
    expect(validateSync(plainToInstance(Query, {}))).toEqual([]);
  });
});

const page = { total: 12, page: 2, perPage: 5 };

describe('a page', () => {
  it('is answered in the case of its area, with nothing else', () => {
    expect(camelCasePage(page)).toEqual({ total: 12, page: 2, perPage: 5, pages: 3 });
    expect(snakeCasePage(page)).toEqual({ total: 12, page: 2, per_page: 5, pages: 3 });
    expect(snakeCasePage({ ...page, offset: 5 } as typeof page)).not.toHaveProperty('offset');
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
