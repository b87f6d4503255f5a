import { isInstant, isWallTime } from './record-formats';

describe('isInstant', () => {
  it.each([
    '2026-01-05T02:11:09.000Z',
    '2026-01-05T09:11:09+07:00',
    '2026-01-05T09:11:09-0330',
    '2026-01-05T09:11Z',
    '2024-02-29T00:00:00.123456789Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ])('takes %s', (text) => {
    expect(isInstant(text)).toBe(true);
  });

  it.each([
    ['no offset', '2026-01-05T02:11:09'],
    ['no time', '2026-01-05'],
    ['a day that is not in the calendar', '2026-02-30T00:00:00Z'],
    ['an hour, minute or second that does not exist', '2026-01-05T24:00:00Z'],
    ['an offset that does not exist', '2026-01-05T00:00:00+16:00'],
    ['the year 0 in UTC', '0001-01-01T06:59:59+07:00'],
    ['the year 10000 in UTC', '9999-12-31T23:30:00-01:00'],
    ['other text', 'yesterday'],
  ])('refuses %s', (_, text) => {
    expect(isInstant(text)).toBe(false);
  });
});

describe('isWallTime', () => {
  it.each([
    ['00:00', true],
    ['23:59', true],
    ['24:00', true],
    ['24:01', false],
    ['9:00', false],
  ])('%s: %s', (text, sound) => {
    expect(isWallTime(text)).toBe(sound);
  });
});
