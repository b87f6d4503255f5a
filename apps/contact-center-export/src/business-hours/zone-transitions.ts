import { countUpTo } from '../sorted';

/** Before the first of these years and after the last, a zone keeps the offset that it has there. */
const FIRST_INSTANT = Date.UTC(1970, 0, 1);
const LAST_INSTANT = Date.UTC(2100, 0, 1);

const DAY_MS = 24 * 60 * 60 * 1000;

/** What is asked for at once: 130 years would take 80 ms, and the records of an organization span a few. */
const PERIOD_MS = 8 * 365 * DAY_MS;

/** No zone has ever had an offset for less: the shortest, such as the summer time of America/Noronha in 2000, lasted a week. */
const STEP_MS = 7 * DAY_MS;

/** Nearly all changes are at a whole quarter of an hour. */
const USUAL_RESOLUTION_MS = 15 * 60 * 1000;
const RESOLUTION_MS = 1000;

/** When a zone's offset from UTC changes, and from what to what, in a stretch of time. */
export interface ZoneTransitions {
  readonly from: number;
  readonly to: number;
  /** The instants of the changes, ascending. */
  readonly instants: readonly number[];
  /** The offset before the first change, then the one after each, in milliseconds. */
  readonly offsets: readonly number[];
  /** What the clocks would have shown at each change, had they not been changed; ascending. */
  readonly wallTimesAtEnd: readonly number[];
}

/**
 * The changes of a zone between two instants at least. The platform tells offsets only instant by instant, so the stretch grows as it
 * is asked for.
 * @param known what is returned if it covers the instants, or grows until it does
 */
export function transitionsCovering(
  from: number,
  to: number,
  offsetFormat: Intl.DateTimeFormat,
  known?: ZoneTransitions,
): ZoneTransitions {
  if (known && known.from <= from && to <= known.to) return known;
  const start = startOfPeriod(withinYears(from));
  const end = withinYears(startOfPeriod(withinYears(to)) + PERIOD_MS);
  if (known && known.from <= start && end <= known.to) return known;
  const earlier = known && start < known.from ? scan(start, known.from, offsetFormat) : undefined;
  const first = known ? (earlier ? joined(earlier, known) : known) : scan(start, end, offsetFormat);
  return first.to < end ? joined(first, scan(first.to, end, offsetFormat)) : first;
}

/** The instant, or the nearest one at which a zone's offset is asked for. */
export function withinYears(instant: number): number {
  return Math.min(Math.max(instant, FIRST_INSTANT), LAST_INSTANT);
}

function startOfPeriod(instant: number): number {
  return FIRST_INSTANT + Math.floor((instant - FIRST_INSTANT) / PERIOD_MS) * PERIOD_MS;
}

/** Of two stretches that adjoin. */
function joined(one: ZoneTransitions, next: ZoneTransitions): ZoneTransitions {
  return {
    from: one.from,
    to: next.to,
    instants: [...one.instants, ...next.instants],
    offsets: [...one.offsets, ...next.offsets.slice(1)],
    wallTimesAtEnd: [...one.wallTimesAtEnd, ...next.wallTimesAtEnd],
  };
}

/** The changes after one instant, up to the other. */
function scan(from: number, to: number, offsetFormat: Intl.DateTimeFormat): ZoneTransitions {
  const instants: number[] = [];
  const offsets = [offsetAt(offsetFormat, from)];
  for (let low = from; low < to; low += STEP_MS) {
    const high = Math.min(low + STEP_MS, to);
    const after = offsetAt(offsetFormat, high);
    if (after === offsets.at(-1)) continue;
    instants.push(changeWithin(offsetFormat, low, high));
    offsets.push(after);
  }
  return {
    from,
    to,
    instants,
    offsets,
    wallTimesAtEnd: instants.map((instant, index) => instant + offsets[index]!),
  };
}

/** The first instant at which the offset is no longer what it is at `low`, by bisection. */
function changeWithin(offsetFormat: Intl.DateTimeFormat, low: number, high: number): number {
  const before = offsetAt(offsetFormat, low);
  for (const resolution of [USUAL_RESOLUTION_MS, RESOLUTION_MS]) {
    while (high - low > resolution) {
      const middle = Math.floor((low + high) / 2 / resolution) * resolution;
      if (offsetAt(offsetFormat, middle) === before) low = middle;
      else high = middle;
    }
    // At a whole quarter of an hour: the second before it has the offset before.
    if (offsetAt(offsetFormat, high - RESOLUTION_MS) === before) return high;
  }
  return high;
}

/** The offset at an instant that the transitions cover, or that no change is beyond. */
export function offsetIn({ instants, offsets }: ZoneTransitions, instant: number): number {
  return offsets[countUpTo(instants, instant)]!;
}

/**
 * Reads `GMT`, `GMT+08:00` or `GMT-00:44:30` off the end of the formatted instant. date-fns-tz tells an offset more easily, but
 * not the right one in the hours around its change.
 */
function offsetAt(offsetFormat: Intl.DateTimeFormat, instant: number): number {
  const [, sign, hours, minutes, seconds = 0] =
    /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(offsetFormat.format(instant)) ?? [];
  if (!sign) return 0;
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return (sign === '-' ? -size : size) * 1000;
}
