import { isIdentifierOf, isNobody, isSameSubject, subjectOf } from './eraser';

it.each([
  ['+84 90 123-45.67', true],
  ['+84901234567\u200b', true],
  ['84901234567', false],
  ['HOA@Example.com ', true],
  ['hoa@example.co', false],
  ['---', false],
  ['', false],
])('%j is an identifier: %s', (text, expected) => {
  const subject = subjectOf({
    userIds: ['c-1'],
    phones: ['+84901234567', '---'],
    emails: ['hoa@example.com', ' '],
  });
  expect(isIdentifierOf(subject, text)).toBe(expected);
});

it('is the same subject in any order, repeated, and in other spellings', () => {
  const one = subjectOf({ userIds: ['a', 'b'], phones: ['+84 1', '---'], emails: null });
  const other = subjectOf({ userIds: ['b', 'a', 'b'], phones: ['(+84)1', '+841'] });
  expect(isSameSubject(one, other)).toBe(true);
  expect(isSameSubject(one, subjectOf({ userIds: ['A', 'b'], phones: ['+84 1'] }))).toBe(false);
});

it('is nobody if every identifier is empty when compared', () => {
  expect(isNobody({ phones: ['---', '+'], emails: [' \u200b'] })).toBe(true);
  expect(isNobody({ userIds: ['---'] })).toBe(false);
});
