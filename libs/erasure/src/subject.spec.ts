import { comparableEmail } from '@cxp/identifiers';
import { isIdentifierOf } from './subject';

it.each([
  ['+84 90 123-45.67', true],
  ['+84901234567', true],
  ['84901234567', false],
  ['HOA@Example.com ', true],
  ['hoa@example.co', false],
  ['ΌΔΟΣ@example.com', true],
  ['όδοσ@EXAMPLE.com', true],
  ['İ@example.com', true],
  ['c-1', true],
  ['C-1', false],
])('%s is an identifier: %s', (text, expected) => {
  const emails = ['hoa@example.com', 'ΌΔΟΣ@example.com', 'İ@example.com'].map(comparableEmail);
  const subject = { userIds: ['c-1'], phones: ['+84901234567'], emails };
  expect(isIdentifierOf(subject, text)).toBe(expected);
});
