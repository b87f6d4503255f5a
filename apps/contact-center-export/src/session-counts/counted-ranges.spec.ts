import fc from 'fast-check';
import { countedRanges } from './counted-ranges';

const HOUR = 60 * 60 * 1000;

describe('a window in counted stretches', () => {
  it('takes the longest that fit: 768 hours, days, hours, then parts of hours', () => {
    const [start, end] = [Date.parse('2025-01-04T16:30:00Z'), Date.parse('2026-01-04T16:30:00Z')];
    expect(
      countedRanges(start, end).map(({ hours, startsAt, endsAt }) => [
        hours,
        new Date(startsAt).toISOString(),
        (endsAt - startsAt) / HOUR,
      ]),
    ).toEqual([
      [0, '2025-01-04T16:30:00.000Z', 0.5],
      [1, '2025-01-04T17:00:00.000Z', 7],
      [24, '2025-01-05T00:00:00.000Z', 3 * 24],
      [768, '2025-01-08T00:00:00.000Z', 11 * 768],
      [24, '2025-12-26T00:00:00.000Z', 9 * 24],
      [1, '2026-01-04T00:00:00.000Z', 16],
      [0, '2026-01-04T16:00:00.000Z', 0.5],
    ]);
  });

  it.each([
    ['none for an empty window', 5, 5, []],
    ['none for a reversed window', 6, 5, []],
    ['one for a part of an hour', 1, HOUR - 1, [0]],
    ['one for exactly an hour', 0, HOUR, [1]],
    ['one for two hours in part', HOUR - 1, HOUR + 1, [0]],
  ])('%s', (_, start, end, hours) => {
    expect(countedRanges(start, end).map((range) => range.hours)).toEqual(hours);
  });

  it('covers any window in order, without gaps, in whole stretches', () => {
    const instant = fc.integer({ min: -1e12, max: 2e12 });
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 4e10 }), (start, length) => {
        const ranges = countedRanges(start, start + length);
        expect(ranges[0]!.startsAt).toBe(start);
        expect(ranges.at(-1)!.endsAt).toBe(start + length);
        for (const [index, { hours, startsAt, endsAt }] of ranges.entries()) {
          expect(startsAt).toBeLessThan(endsAt);
          expect(ranges[index + 1]?.startsAt ?? endsAt).toBe(endsAt);
          if (hours > 0)
            expect([startsAt % (hours * HOUR), endsAt % (hours * HOUR)].map(Math.abs)).toEqual([0, 0]);
          else expect(endsAt - startsAt).toBeLessThan(2 * HOUR);
        }
      }),
    );
  });
});
