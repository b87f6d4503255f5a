import { listCell, valueCell } from './question-kind';

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
