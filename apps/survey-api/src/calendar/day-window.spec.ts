import fc from 'fast-check';
import { instantsOf, shortenWindow } from './day-window';

describe('instantsOf', () => {
  it.each([
    ['2026-01-05', '2026-01-05', '2026-01-04T17:00:00.000Z', '2026-01-05T17:00:00.000Z'],
    ['2025-12-31', '2026-01-01', '2025-12-30T17:00:00.000Z', '2026-01-01T17:00:00.000Z'],
    ['2024-02-28', '2024-02-29', '2024-02-27T17:00:00.000Z', '2024-02-29T17:00:00.000Z'],
    ['9999-12-30', '9999-12-30', '9999-12-29T17:00:00.000Z', '9999-12-30T17:00:00.000Z'],
    ['9999-12-31', '9999-12-31', '9999-12-30T17:00:00.000Z', '+010000-01-01T00:00:00.000Z'],
  ])('reads %s to %s as whole days in UTC+7', (startDate, endDate, from, before) => {
    expect(instantsOf({ startDate, endDate })).toEqual({ from: new Date(from), before: new Date(before) });
  });
});

describe('shortenWindow', () => {
  it.each([
    ['2026-01-01', '2026-04-01', '2026-01-01'],
    ['2025-12-31', '2026-04-01', '2026-01-01'],
    ['2020-01-01', '2026-04-01', '2026-01-01'],
    ['2026-04-01', '2026-04-01', '2026-04-01'],
  ])('a window of %s to %s starts on %s when 90 days are allowed', (startDate, endDate, start) => {
    expect(shortenWindow({ startDate, endDate }, 90)).toEqual({ startDate: start, endDate });
  });

  it('never lengthens a window, never passes the limit, and changes nothing the second time', () => {
    const date = fc
      .date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((value) => value.toISOString().slice(0, 10));
    fc.assert(
      fc.property(date, date, fc.integer({ min: 1, max: 400 }), (one, other, days) => {
        const [startDate, endDate] = [one, other].sort() as [string, string];
        const shortened = shortenWindow({ startDate, endDate }, days);
        expect(shortened.startDate >= startDate).toBe(true);
        expect(Date.parse(endDate) - Date.parse(shortened.startDate)).toBeLessThanOrEqual(days * 86_400_000);
        expect(shortenWindow(shortened, days)).toEqual(shortened);
      }),
    );
  });
});
