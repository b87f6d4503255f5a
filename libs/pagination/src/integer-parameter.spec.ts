import '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { IntegerParameter } from './integer-parameter';

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
