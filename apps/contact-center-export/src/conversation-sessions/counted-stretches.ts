import type { Instant } from '../business-hours';
import { COUNTED_HOURS } from '../projection/session-count.repository';

const HOUR_MS = 60 * 60 * 1000;

/** A stretch of time: from, inclusive, until, exclusive. */
export interface Span {
  readonly from: Instant;
  readonly until: Instant;
}

/** Stretches of one length whose rows are counted one by one; 0 hours: an edge, whose rows are not. */
export interface CountedSpan extends Span {
  readonly hours: 0 | (typeof COUNTED_HOURS)[number];
}

/**
 * Cuts a window into the longest stretches that are counted whole, in order of time: a year takes eleven stretches of 768
 * hours, some of 24 and of 1, and an edge of less than an hour at each end.
 */
export function countedSpans(window: Span): CountedSpan[] {
  return cut(window, 0, COUNTED_HOURS);
}

/** Parts a counted stretch into the next shorter ones. */
export function shorterStretches({ hours, from }: Pick<CountedSpan, 'hours' | 'from'>): CountedSpan {
  const shorter = COUNTED_HOURS[COUNTED_HOURS.indexOf(hours as 24) - 1]!;
  return { hours: shorter, from, until: from + hours * HOUR_MS };
}

function cut(
  { from, until }: Span,
  hours: CountedSpan['hours'],
  [longer, ...rest]: readonly (typeof COUNTED_HOURS)[number][],
): CountedSpan[] {
  const length = (longer ?? 0) * HOUR_MS;
  const first = Math.ceil(from / length) * length;
  const last = Math.floor(until / length) * length;
  const spans: CountedSpan[] =
    longer === undefined || first >= last
      ? [{ hours, from, until }]
      : [
          { hours, from, until: first },
          ...cut({ from: first, until: last }, longer, rest),
          { hours, from: last, until },
        ];
  return spans.filter((span) => span.from < span.until);
}
