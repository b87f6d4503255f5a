import { formatInTimeZone } from 'date-fns-tz';
import fc from 'fast-check';
import { timeText } from './cell';

it.each([
  ['2026-01-05T02:11:09.999Z', '+07:00', '2026-01-05 09:11:09'],
  ['2026-01-05T17:00:00.000Z', '+07:00', '2026-01-06 00:00:00'],
  ['2026-01-05T02:11:09.000Z', '-09:30', '2026-01-04 16:41:09'],
  ['1969-12-31T23:59:59.500Z', '+00:00', '1969-12-31 23:59:59'],
  ['2026-07-05T02:11:09.000Z', 'Europe/Berlin', '2026-07-05 04:11:09'],
  ['0001-01-01T00:00:00.000Z', '-03:30', '0001-01-01 00:00:00'],
  ['9999-12-31T16:59:59.999Z', '+07:00', '9999-12-31 23:59:59'],
  ['9999-12-31T23:59:59.000Z', '+07:00', '9999-12-31 23:59:59'],
  ['9999-12-31T23:59:59.000Z', 'Asia/Ho_Chi_Minh', '9999-12-31 23:59:59'],
])('%s at %s is %s', (time, timeZone, text) => {
  expect(timeText(new Date(time), timeZone)).toBe(text);
});

it('is what date-fns-tz writes, whatever the offset and the day', () => {
  const offset = fc
    .tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 14 }), fc.integer({ min: 0, max: 59 }))
    .map(([sign, hours, minutes]) => {
      const digits = [hours, minutes].map((part) => String(part).padStart(2, '0'));
      return `${sign}${digits.join(':')}`;
    });
  const time = fc.oneof(
    fc.date({ noInvalidDate: true, min: new Date('1900-01-01'), max: new Date('2100-01-01') }),
    fc.date({ noInvalidDate: true, min: new Date('0001-01-02'), max: new Date('9999-12-30') }),
  );
  fc.assert(
    fc.property(time, offset, (at, timeZone) => {
      expect(timeText(at, timeZone)).toBe(formatInTimeZone(at, timeZone, 'uuuu-MM-dd HH:mm:ss'));
    }),
  );
});
