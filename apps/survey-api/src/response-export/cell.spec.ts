import { listCell, timeCell, valueCell } from './cell';
import { compareIds } from './id-order';

describe('timeCell', () => {
  it.each([
    ['2026-01-05T02:11:09.000Z', '2026-01-05 09:11:09'],
    ['2026-01-05T16:59:59.999Z', '2026-01-05 23:59:59'],
    ['2025-12-31T17:00:00.000Z', '2026-01-01 00:00:00'],
    ['2024-02-28T20:00:00.000Z', '2024-02-29 03:00:00'],
  ])('shows %s as %s: UTC+7, seconds cut off', (time, cell) => {
    expect(timeCell(new Date(time))).toBe(cell);
  });

  it('shows a missing time as a missing value', () => {
    expect(timeCell(null)).toBeNull();
  });
});

describe('valueCell', () => {
  it.each([
    [null, null],
    [undefined, null],
    ['Hà Nội', 'Hà Nội'],
    ['', ''],
    [0, 0],
    [1.5, 1.5],
    [true, 'true'],
    [['a', 1, null, 'b'], 'a|1||b'],
    [[], null],
    [{ a: [1] }, '{"a":[1]}'],
  ])('shows %j as %j', (value, cell) => {
    expect(valueCell(value)).toBe(cell);
  });
});

describe('listCell', () => {
  it.each([
    [[], null],
    [['one'], 'one'],
    [['one', 'two words', ''], 'one|two words|'],
  ])('shows %j as %j', (items, cell) => {
    expect(listCell(items)).toBe(cell);
  });
});

describe('compareIds', () => {
  it('orders ids numerically, and ids that are no integers last', () => {
    const ids = ['b', '10', '9', '2', 'a', '-1', '9007199254740993', '9007199254740992', '007'];
    expect([...ids].sort(compareIds)).toEqual([
      '-1',
      '2',
      '007',
      '9',
      '10',
      '9007199254740992',
      '9007199254740993',
      'a',
      'b',
    ]);
  });

  it('is the same for the same id only', () => {
    expect(compareIds('7', '7')).toBe(0);
    expect(compareIds('7', '07')).not.toBe(0);
  });
});
