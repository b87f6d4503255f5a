/** Before the first of these years and after the last, a zone keeps the offset that it has there. */
const FIRST_INSTANT = Date.UTC(1970, 0, 1);
const LAST_INSTANT = Date.UTC(2100, 0, 1);

/** No zone has ever had an offset for less: the shortest, some summer times around Ramadan, lasted weeks. */
const STEP_MS = 7 * 24 * 60 * 60 * 1000;
const RESOLUTION_MS = 1000;

/** When a zone's offset from UTC changes, and from what to what. */
export interface ZoneTransitions {
  /** The instants of the changes, ascending. */
  readonly instants: readonly number[];
  /** The offset before the first change, then the one after each, in milliseconds. */
  readonly offsets: readonly number[];
  /** What the clocks would have shown at each change, had they not been changed; ascending. */
  readonly wallTimesAtEnd: readonly number[];
}

/** Asks the platform for all changes of a zone, which it tells only instant by instant: some milliseconds of work. */
export function zoneTransitions(offsetFormat: Intl.DateTimeFormat): ZoneTransitions {
  const instants: number[] = [];
  const offsets = [offsetAt(offsetFormat, FIRST_INSTANT)];
  for (let from = FIRST_INSTANT; from < LAST_INSTANT; from += STEP_MS) {
    const before = offsets.at(-1)!;
    if (offsetAt(offsetFormat, from + STEP_MS) === before) continue;
    const instant = changeWithin(offsetFormat, from, from + STEP_MS);
    instants.push(instant);
    offsets.push(offsetAt(offsetFormat, instant));
  }
  return { instants, offsets, wallTimesAtEnd: instants.map((instant, index) => instant + offsets[index]!) };
}

/** The first instant at which the offset is no longer what it is at `low`, by bisection. */
function changeWithin(offsetFormat: Intl.DateTimeFormat, low: number, high: number): number {
  const before = offsetAt(offsetFormat, low);
  while (high - low > RESOLUTION_MS) {
    const middle = Math.floor((low + high) / 2 / RESOLUTION_MS) * RESOLUTION_MS;
    if (offsetAt(offsetFormat, middle) === before) low = middle;
    else high = middle;
  }
  return high;
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
