import fc from 'fast-check';
import type { Span } from '../business-hours';
import { partsOf } from './explanation';

/** Intervals in order, of which none touches another, clipped to a span. */
const anyIntervals = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 12 }).map((bounds) => {
  const sorted = bounds.slice(0, bounds.length - (bounds.length % 2)).sort((a, b) => a - b);
  return sorted.flatMap((from, n) => (n % 2 === 0 ? [{ from, to: sorted[n + 1]! }] : []));
});
const clippedTo = (intervals: readonly Span[]) => (from: number, to: number) =>
  intervals
    .map((interval) => ({ from: Math.max(from, interval.from), to: Math.min(to, interval.to) }))
    .filter((interval) => interval.from < interval.to);
const isIn = (at: number, intervals: readonly Span[]) =>
  intervals.some(({ from, to }) => from <= at && at < to);

it('the parts of a span are exactly the span, each with its reason', () => {
  fc.assert(
    fc.property(
      anyIntervals,
      anyIntervals,
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 60 }),
      (open, week, from, to) => {
        const parts = [...partsOf({ from, to }, clippedTo(open), clippedTo(week))];
        for (let at = from; at < to; at++) {
          const holding = parts.filter((part) => isIn(at, [part]));
          const reason = isIn(at, open) ? null : isIn(at, week) ? 'exception' : 'closed';
          expect(holding).toEqual([expect.objectContaining({ reason })]);
        }
        const bounds = parts.map((part) => [part.from, part.to]);
        expect(bounds.flat()).toEqual([...bounds.flat()].sort((a, b) => a - b));
        expect(parts.every((part) => part.from < part.to && from <= part.from && part.to <= to)).toBe(true);
      },
    ),
  );
});
