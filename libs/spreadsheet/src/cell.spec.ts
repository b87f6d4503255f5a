import { formatInTimeZone } from 'date-fns-tz';
import fc from 'fast-check';
import { guardFormula, timeText } from './cell';

it.each([
  ['2026-01-05T02:11:09.999Z', '+07:00', '2026-01-05 09:11:09'],
  ['2026-01-05T17:00:00.000Z', '+07:00', '2026-01-06 00:00:00'],
  ['2026-01-05T02:11:09.000Z', '-09:30', '2026-01-04 16:41:09'],
  ['1969-12-31T23:59:59.500Z', '+00:00', '1969-12-31 23:59:59'],
  ['0001-01-01T00:00:00.000Z', '-03:30', '0001-01-01 00:00:00'],
  ['9999-12-31T16:59:59.999Z', '+07:00', '9999-12-31 23:59:59'],
  ['9999-12-31T23:59:59.000Z', '+07:00', '9999-12-31 23:59:59'],
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

describe('guardFormula', () => {
  it.each([
    '=1+1',
    '=HYPERLINK("http://example.com")',
    '+cmd|/c calc!A0',
    '-2+3',
    '-A1',
    '@SUM(A1)',
    '\t=1',
    '\t1',
    '\r=1',
    '=',
    '-',
    '--',
    '+',
    '+84 90 123 456 ext. 7',
    '-1e5x',
    '+84\t90',
    '-2-3',
    '+1-(2)*3',
    '-(2)',
    '+-5',
    '+.5.5',
    '-.',
    '-05',
    '-3,5',
    '-1,234.50',
    '+1.5E+10',
    '＝1+1',
    '＋84 90',
    '－5',
    '＠SUM(A1)',
  ])('defuses %j', (cell) => {
    expect(guardFormula(cell)).toBe(`'${cell}`);
  });

  it.each([
    '',
    'Rất tốt',
    '1',
    '-5',
    '-3.5',
    '+7',
    '-0',
    '-1e-7',
    '-1.5E+10',
    '-.5',
    '+.5',
    '+1-(2)',
    '+84 90 123 45 67',
    '+84-90-1234567',
    '+84.90.123',
    '+(84) 90 123',
    '(84) 90 123',
    ' =1',
    'a=b',
    "'=1",
    '\n=1',
  ])('leaves %j as it is', (cell) => {
    expect(guardFormula(cell)).toBe(cell);
  });

  it('adds one apostrophe or nothing, and never guards twice', () => {
    const cell = fc.string({
      unit: fc.constantFrom('=', '＝', '+', '-', '@', '\t', '\r', '1', '.', '(', ' ', 'a'),
    });
    fc.assert(
      fc.property(cell, (text) => {
        const guarded = guardFormula(text);
        expect([text, `'${text}`]).toContain(guarded);
        expect(guardFormula(guarded)).toBe(guarded);
      }),
    );
  });
});
