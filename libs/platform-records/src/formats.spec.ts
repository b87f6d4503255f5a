import { isInstant, isWallTime } from './formats';

describe('isInstant', () => {
  it.each([
    '2026-01-05T02:11:09.000Z',
    '2026-01-05T09:11:09+07:00',
    '2026-01-05T09:11:09-0330',
    '2026-01-05T09:11Z',
    '2024-02-29T00:00:00.123456789Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999000000Z',
    '9999-12-31T23:59:59.998999999Z',
    '9999-12-31T22:59:59.999-01:00',
    '0004-02-29T12:00:00Z',
    '2000-02-29T00:00:00+15:59',
  ])('takes %s', (text) => {
    expect(isInstant(text)).toBe(true);
  });

  it.each([
    ['no offset', '2026-01-05T02:11:09'],
    ['no time', '2026-01-05'],
    ['a day that is not in the calendar', '2026-02-30T00:00:00Z'],
    ['the 29th of February of a year that has none', '1900-02-29T00:00:00Z'],
    ['the 31st of a month that has 30 days', '2026-04-31T00:00:00Z'],
    ['a day 0', '2026-04-00T00:00:00Z'],
    ['a day 32', '2026-01-32T00:00:00Z'],
    ['a month that does not exist', '2026-13-01T00:00:00Z'],
    ['the year 0', '0000-06-01T00:00:00Z'],
    ['a minute that does not exist', '2026-01-05T23:60:00Z'],
    ['a second that does not exist', '2026-01-05T23:59:60Z'],
    ['an hour, minute or second that does not exist', '2026-01-05T24:00:00Z'],
    ['an offset that does not exist', '2026-01-05T00:00:00+16:00'],
    ['the year 0 in UTC', '0001-01-01T06:59:59+07:00'],
    ['the year 10000 in UTC', '9999-12-31T23:30:00-01:00'],
    ['the year 10000 when rounded to microseconds', '9999-12-31T23:59:59.9999999Z'],
    ['the year 10000 when rounded to milliseconds', '9999-12-31T23:59:59.9995Z'],
    ['the year 10000 when rounded to microseconds, and they to milliseconds', '9999-12-31T23:59:59.9994995Z'],
    ['the year 10000 when rounded, in UTC', '9999-12-31T22:59:59.9999999-01:00'],
    ['the year 10000 when rounded, in UTC, of an offset without a colon', '9999-12-31T22:59:59.9999999-0100'],
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
