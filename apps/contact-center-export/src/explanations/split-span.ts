import type { Instant } from '../derivation';

/** Half-open. */
export interface Interval {
  readonly from: Instant;
  readonly to: Instant;
}

/** When an organization's people are at work between two instants: intervals in order, without overlap, inside the span. */
export type Openings = (from: Instant, to: Instant) => Iterable<Interval>;

/** A part of a span, and why it does not count; null if it counts. */
interface Part extends Interval {
  readonly reason: 'closed' | 'exception' | null;
}

/**
 * Divides a span into what counts and what does not, in order, without gap or overlap. What the week alone would count does not count
 * because of an exception. A part is worked out when it is asked for.
 */
export function* partsOf(
  { from, to }: Interval,
  openings: Openings,
  weekOpenings: Openings,
): Generator<Part> {
  let at = from;
  for (const open of openings(from, to)) {
    yield* omitted(at, open.from, weekOpenings);
    yield { ...open, reason: null };
    at = open.to;
  }
  yield* omitted(at, to, weekOpenings);
}

function* omitted(from: Instant, to: Instant, weekOpenings: Openings): Generator<Part> {
  let at = from;
  for (const week of from < to ? weekOpenings(from, to) : []) {
    if (week.from > at) yield { from: at, to: week.from, reason: 'closed' };
    yield { ...week, reason: 'exception' };
    at = week.to;
  }
  if (at < to) yield { from: at, to, reason: 'closed' };
}
