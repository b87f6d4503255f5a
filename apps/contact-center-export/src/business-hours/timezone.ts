import { countUpTo } from '../sorted';
import { offsetIn, transitionsCovering, withinYears, type ZoneTransitions } from './zone-transitions';
import { inTurns } from '../in-turns';

export const DAY_MS = 24 * 60 * 60 * 1000;

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number;
/** A wall clock's reading: milliseconds since 1970-01-01T00:00 on that clock. */
type WallTime = number;
/** A calendar date: days since 1970-01-01. */
export type Day = number;

/** The three-letter names of the IANA database; ICU knows more of them, which are its own. */
const THREE_LETTER_NAMES = new Set(
  ['UTC', 'UCT', 'GMT', 'WET', 'CET', 'MET', 'EET', 'EST', 'MST', 'HST', 'PRC', 'ROC', 'ROK'].map((name) =>
    name.toLowerCase(),
  ),
);

/**
 * One IANA timezone. Conversions are arithmetic; what the platform says of the zone is asked once per process, for the years that are
 * converted.
 */
export class Timezone {
  private static readonly byName = new Map<string, Timezone>();

  private known: ZoneTransitions | undefined;

  private constructor(
    /** As the platform writes it: names of one zone give one name. */
    readonly name: string,
    private readonly offsetFormat: Intl.DateTimeFormat,
  ) {}

  /** The timezone of that IANA name, without case; null when there is none. Offsets such as `+08:00` are no names. */
  static named(name: string): Timezone | null {
    const known = this.byName.get(name.toLowerCase());
    if (known) return known;
    const format = offsetFormat(name);
    if (!format) return null;
    const canonicalName = format.resolvedOptions().timeZone;
    const timezone = this.byName.get(canonicalName.toLowerCase()) ?? new Timezone(canonicalName, format);
    this.byName.set(canonicalName.toLowerCase(), timezone).set(name.toLowerCase(), timezone);
    return timezone;
  }

  /** Milliseconds that the zone's clocks are ahead of UTC. */
  offsetAt(instant: Instant): number {
    return offsetIn(this.transitionsBetween(instant, instant), instant);
  }

  /**
   * The instant at which the zone's clocks show the wall time: the first, when they do twice. A wall time that they
   * skip moves forward by the length of the gap.
   */
  instantOf(wallTime: WallTime): Instant {
    // No zone is a day ahead of UTC, or behind it.
    const { offsets, instants, wallTimesAtEnd } = this.transitionsBetween(
      wallTime - DAY_MS,
      wallTime + DAY_MS,
    );
    const stretch = countUpTo(wallTimesAtEnd, wallTime);
    const isSkipped = stretch > 0 && wallTime - offsets[stretch]! < instants[stretch - 1]!;
    return wallTime - offsets[isSkipped ? stretch - 1 : stretch]!;
  }

  /** The first instant of the date; of a date that the zone skipped, that of the next. */
  startOf(day: Day): Instant {
    return this.instantOf(day * DAY_MS);
  }

  /** The date whose first instant is the last one at or before the instant. */
  dayAt(instant: Instant): Day {
    const day = dayOf(instant + this.offsetAt(instant));
    // Clocks that are set back across midnight show the old date again, which is over.
    return instant >= this.startOf(day + 1) ? day + 1 : day;
  }

  /**
   * The changes of the zone's offset between two instants at least.
   * @returns the same object if no more of them are known than at the call before
   */
  transitionsBetween(from: Instant, to: Instant): ZoneTransitions {
    return (this.known = transitionsCovering(from, to, this.offsetFormat, this.known));
  }

  /**
   * Works out, in turns, the changes of the clocks between two instants: for a century in a timezone that is new to the process this takes
   * longer than other requests should wait.
   */
  async learn(from: Instant, to: Instant): Promise<void> {
    for await (const [first, last] of inTurns(this.unknownBetween(from, to))) {
      this.transitionsBetween(first, last);
    }
  }

  /** Spans of some years, each to be asked about in turn, until the changes between two instants are known. */
  *unknownBetween(from: Instant, to: Instant): Generator<[from: Instant, to: Instant]> {
    const [first, last] = [withinYears(from), withinYears(to)];
    if (!this.known) yield [last, last];
    for (let { known } = this; known && known.from > first; known = this.known)
      yield [known.from - 1, known.to];
    for (let { known } = this; known && known.to < last; known = this.known) yield [known.from, known.to + 1];
  }
}

/** The dates on the clocks around every change of a zone, ascending: those before and after it, and those that it skips. */
export function datesOfChanges({ instants, offsets }: ZoneTransitions): Day[] {
  const dates = new Set<Day>();
  for (const [index, instant] of instants.entries()) {
    const before = dayOf(instant - 1 + offsets[index]!);
    const after = dayOf(instant + offsets[index + 1]!);
    for (let day = Math.min(before, after); day <= Math.max(before, after); day += 1) dates.add(day);
  }
  return [...dates].sort((a, b) => a - b);
}

export function dayOf(wallTime: WallTime): Day {
  return Math.floor(wallTime / DAY_MS);
}

function offsetFormat(name: string): Intl.DateTimeFormat | null {
  const isIana =
    name.length === 3 ? THREE_LETTER_NAMES.has(name.toLowerCase()) : /^(?!systemv)[a-z]/i.test(name);
  if (!isIana) return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    return null;
  }
}
