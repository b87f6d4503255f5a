import { comparableEmail, comparablePhone, identifierKeys, isVisibleText, textsIn } from './index';

it.each([
  ['+84 90 123-45.67', '+84901234567'],
  ['(+84) 90–123—4567', '+84901234567'],
  ['+84\u00a090\u00a01234567', '+84901234567'],
  ['84901234567', '84901234567'],
  ['\u2068+84 90 1234567\u2069', '+84901234567'],
  ['\u202a+84901234567\u202c', '+84901234567'],
  ['+84901234567\u200b', '+84901234567'],
  ['\u061c+84901234567\ufe0f', '+84901234567'],
  ['\u00ad+84901234567\u{e0001}', '+84901234567'],
  ['+٨٤', '+٨٤'],
  ['+84\u008590', '+8490'],
  ['ext A', 'extA'],
  ['---', ''],
  ['+', ''],
  ['+ ()', ''],
  ['\u200b', ''],
  ['', ''],
])('the phone %j compares as %j', (phone, comparable) => {
  expect(comparablePhone(phone)).toBe(comparable);
});

it.each([
  [' HOA@Example.com\t', 'hoa@example.com'],
  ['\u200f hoa\u200b@example.com \ufeff', 'hoa@example.com'],
  ['hoa@example.com\u0085', 'hoa@example.com'],
  ['ΌΔΟΣ@example.com', 'όδοσ@example.com'],
  ['İ@example.com', 'İ@example.com'],
  ['---', '---'],
  ['a@b.c' + '\u200b'.repeat(900), 'a@b.c'],
  ['x'.repeat(1_001), ''],
  [' \u200b ', ''],
  ['', ''],
])('the email %j compares as %j', (email, comparable) => {
  expect(comparableEmail(email)).toBe(comparable);
});

it('in an email each letter compares as its lower case, if that is one letter, whatever is beside it', () => {
  const wrong = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter((letter) => {
    const lower = letter.toLowerCase();
    const expected = isVisibleText(letter) ? ([...lower].length === 1 ? lower : letter) : '';
    return comparableEmail(`a${letter}İ`) !== `a${expected}İ`;
  });
  expect(wrong).toEqual([]);
});

it.each([
  ['', false],
  [' \t\r\n\u0085\u00a0\u3000', false],
  ['\u200b\u2060\ufeff\u00ad\u3164\u{e0001}', false],
  [' \u200b\u202e', false],
  ['\u200b.', true],
  ['\u{1f44d}\ufe0f', true],
  ['\0', true],
])('whether something of %j can be seen: %s', (text, isVisible) => {
  expect(isVisibleText(text)).toBe(isVisible);
});

it('has keys of what is an identifier only, each once', () => {
  const long = 'x'.repeat(256);
  expect(identifierKeys(['+84 1', '+', null, '+841', long], ['A@b', ' ', null, long])).toEqual([
    'p+841',
    'ea@b',
  ]);
});

it('has all texts of a value, names of members and numbers included', () => {
  const value = { a: ['x', 5, null, { 'hoa@example.com': true }], b: 84_901_234_567 };
  expect(textsIn(value)).toEqual(['a', 'x', '5', 'hoa@example.com', 'b', '84901234567']);
});
