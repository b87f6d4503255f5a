import { isLongerThan, isStorable } from './text';

describe('isLongerThan', () => {
  it.each([
    ['a', 1, false],
    ['ab', 1, true],
    ['😀😀', 2, false],
    ['😀😀😀', 2, true],
    ['é'.normalize('NFD'), 1, true],
    ['x'.repeat(10_000), 2, true],
  ])('counts code points: %j against %d is %s', (text, maximum, longer) => {
    expect(isLongerThan(text, maximum)).toBe(longer);
  });
});

describe('isStorable', () => {
  it.each([
    ['Khảo sát 😀\t"\r\n', true],
    ['', true],
    ['a\0b', false],
    ['half a pair: \ud83d', false],
    ['the other half: \ude00', false],
  ])('%j: %s', (text, storable) => {
    expect(isStorable(text)).toBe(storable);
  });
});
