import { instantOf, isInstant, isWallTime, utcTime } from './formats';

describe('isInstant', () => {
  it.each([
    '2026-01-05T02:11:09.000Z',
    '2026-01-05T09:11:09+07:00',
    '2026-01-05T09:11:09-0330',
    '2026-01-05T09:11Z',
    '2024-02-29T00:00:00.123456789012Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999999999999Z',
    '9999-12-31T22:59:59.9999999-0100',
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
    ['thirteen digits of a second', '2026-01-05T00:00:00.1234567890123Z'],
    ['other text', 'yesterday'],
  ])('refuses %s', (_, text) => {
    expect(isInstant(text)).toBe(false);
  });
});

/** Times of one millisecond, in order. */
const IN_ORDER = ['.123', '.123001', '.123002', '.1239', '.123999999999'];

describe.each(['1800-01-01T00:00:00', '1969-12-31T23:59:59', '2026-01-05T02:11:09', '2039-09-07T15:47:35'])(
  'a time of %s',
  (second) => {
    it('is kept and compared to the microsecond', () => {
      const texts = IN_ORDER.map((fraction) => utcTime(`${second}${fraction}Z`));
      expect(texts).toEqual(
        ['.123000', '.123001', '.123002', '.123900', '.123999'].map((end) => `${second}${end}Z`),
      );
      const instants = IN_ORDER.map((fraction) => instantOf(`${second}${fraction}Z`));
      expect(new Set(instants).size).toBe(IN_ORDER.length);
      expect([...instants].sort((a, b) => a - b)).toEqual(instants);
      expect(new Set(instants.map(Math.floor))).toEqual(new Set([Date.parse(`${second}.123Z`)]));
    });
  },
);

describe('utcTime and instantOf', () => {
  it.each([
    ['2026-01-05T09:11Z', '2026-01-05T09:11:00.000000Z'],
    ['2026-01-05T09:11:09.5-0330', '2026-01-05T12:41:09.500000Z'],
    ['2026-01-05T09:11:09.0000019999-03:30', '2026-01-05T12:41:09.000001Z'],
    ['0001-01-01T00:00:00.000001Z', '0001-01-01T00:00:00.000001Z'],
    ['2026-01-05T09:11:09.000400999999Z', '2026-01-05T09:11:09.000400Z'],
    ['2026-01-05T09:11:09.000000000001-0330', '2026-01-05T12:41:09.000000Z'],
    ['9999-12-31T23:59:59.999999999999Z', '9999-12-31T23:59:59.999999Z'],
  ])('%s is %s', (text, expected) => {
    expect(utcTime(text)).toBe(expected);
    expect(Math.floor(instantOf(text))).toBe(Date.parse(expected));
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
