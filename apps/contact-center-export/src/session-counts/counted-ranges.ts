import type { Instant } from '../business-hours';
import { COUNTED_HOURS } from './session-count-changes';

/** A part of a window whose rows are counted by stretches of so many hours; 0: they are not, being parts of hours. */
interface CountedRange {
  readonly hours: number;
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
}

const HOUR_MS = 60 * 60 * 1000;
const LONGEST_FIRST = [...COUNTED_HOURS].reverse();

/** A window as the longest counted stretches that fit into it, in order, without gaps. */
export function countedRanges(
  startsAt: Instant,
  endsAt: Instant,
  lengths: readonly number[] = LONGEST_FIRST,
): CountedRange[] {
  if (startsAt >= endsAt) return [];
  const [hours, ...shorter] = lengths;
  if (hours === undefined) return [{ hours: 0, startsAt, endsAt }];
  const length = hours * HOUR_MS;
  const first = Math.ceil(startsAt / length) * length;
  const last = Math.floor(endsAt / length) * length;
  if (first >= last) return countedRanges(startsAt, endsAt, shorter);
  return [
    ...countedRanges(startsAt, first, shorter),
    { hours, startsAt: first, endsAt: last },
    ...countedRanges(last, endsAt, shorter),
  ];
}
