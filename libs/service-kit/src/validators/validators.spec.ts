import { hasCodePoints, isCalendarDate } from './validators';

describe('a calendar date', () => {
  it.each(['2026-01-05', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('%s is one', (text) => {
    expect(isCalendarDate(text)).toBe(true);
  });

  it.each([
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-32',
    '2026-1-5',
    '26-01-05',
    '2026-01-05T00:00:00Z',
    '2026-01-05 ',
    ' 2026-01-05',
    '20260105',
    '2026/01/05',
    '-2026-01-05',
    '٢٠٢٦-٠١-٠٥',
    '0000-01-01',
    '2026-01-05\n',
    '',
    undefined,
    null,
    5,
    ['2026-01-05'],
    new Date(),
  ])('%p is none', (value) => {
    expect(isCalendarDate(value)).toBe(false);
  });
});

describe('a length in code points', () => {
  it.each<[string, number, number, boolean]>([
    ['', 0, 3, true],
    ['', 1, 3, false],
    ['abc', 1, 3, true],
    ['abcd', 1, 3, false],
    ['😀😀😀', 1, 3, true],
    ['😀😀😀😀', 1, 3, false],
    ['😀', 2, 3, false],
    ['❤\ufe0f❤', 1, 3, true],
    ['❤\ufe0f❤\ufe0f', 1, 3, false],
    ['e\u0301e\u0301', 1, 3, false],
    ['👩‍👩‍👧', 1, 5, true],
    ['👩‍👩‍👧', 1, 4, false],
    ['\ud83d', 1, 1, true],
  ])('of %j is between %i and %i: %s', (text, min, max, fits) => {
    expect(hasCodePoints(text, min, max)).toBe(fits);
  });
});
