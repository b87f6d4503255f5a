import { Temporal } from 'temporal-polyfill';
import { yieldToEventLoop, DAY_MS } from '@cxp/storage';
import type { Instant } from '../instant';

/** Zones change their clocks only within these years; outside of them they keep the nearest offset. */
export const FIRST_YEAR = 1970;
export const LAST_YEAR = 2199;

/** Milliseconds since 1970-01-01T00:00 on the wall clock. */
type WallTime = number;
/** Days since 1970-01-01. */
type Day = number;

/** From `since` on, the zone is `offset` milliseconds ahead of UTC. */
interface Offset {
  readonly since: Instant;
  readonly offset: number;
}

/** Only these three-letter names are IANA's; ICU accepts more. */
const THREE_LETTER_NAMES = new Set(
  ['UTC', 'UCT', 'GMT', 'WET', 'CET', 'MET', 'EET', 'EST', 'MST', 'HST', 'PRC', 'ROC', 'ROK'].map((name) =>
    name.toLowerCase(),
  ),
);

/**
 * One IANA timezone. Its changes are cached per year and converted by arithmetic, because Temporal takes 0.2 ms for each
 * conversion.
 */
export class Timezone {
  private static readonly byName = new Map<string, Timezone>();

  /**
   * @param name in the case of the IANA database
   * @param zone the canonical name of all its aliases
   */
  private constructor(
    readonly name: string,
    readonly zone: string,
    private readonly years = new Map<number, readonly Offset[]>(),
  ) {}

  /**
   * Ignores case.
   * @returns null for anything that is no IANA name, offsets such as `+08:00` included
   */
  static named(name: string): Timezone | null {
    const known = this.byName.get(name.toLowerCase());
    if (known) return known;
    const zone = zoneNamed(name);
    if (zone === undefined) return null;
    const years = zone === name ? undefined : this.named(zone)?.years;
    const { timeZoneId } = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    const timezone = new Timezone(timeZoneId, zone, years);
    this.byName.set(name.toLowerCase(), timezone);
    return timezone;
  }

  /** Milliseconds ahead of UTC. */
  offsetAt(instant: Instant): number {
    const offsets = this.offsetsIn(yearOf(instant));
    let place = offsets.length - 1;
    while (place > 0 && offsets[place]!.since > instant) place -= 1;
    return offsets[place]!.offset;
  }

  /** The first instant at which the clocks show the wall time. A skipped wall time moves forward by the length of the gap. */
  instantOf(wallTime: WallTime): Instant {
    // No zone is a day or more from UTC, and none changes its clocks twice in two days.
    const before = this.offsetAt(wallTime - DAY_MS);
    const after = this.offsetAt(wallTime + DAY_MS);
    const byBefore = wallTime - before;
    if (before === after || this.offsetAt(byBefore) === before) return byBefore;
    const byAfter = wallTime - after;
    return this.offsetAt(byAfter) === after ? byAfter : byBefore;
  }

  /** The one offset between two instants; undefined if it changes, or if they are of two years. */
  constantOffset(from: Instant, to: Instant): number | undefined {
    const year = yearOf(from);
    if (year !== yearOf(to) || this.offsetsIn(year).some(({ since }) => since > from && since <= to))
      return undefined;
    return this.offsetAt(from);
  }

  /** The first instant of the date; of a skipped date, that of the next. */
  startOf(day: Day): Instant {
    return this.instantOf(day * DAY_MS);
  }

  /**
   * Offsets by which dates are counted, each from its instant on. Clocks set back across midnight repeat a date; `leastDay`
   * keeps dates from going back.
   */
  async dayOffsets(from: Instant, to: Instant): Promise<(Offset & { readonly leastDay: Day })[]> {
    const offsets: (Offset & { readonly leastDay: Day })[] = [];
    for (let year = yearOf(from); year <= yearOf(to); year += 1) {
      if (!this.years.has(year)) await yieldToEventLoop();
      for (const { since, offset } of this.offsetsIn(year)) {
        const before = offsets.at(-1);
        if (before?.offset === offset) continue;
        const leastDay = before ? Math.floor((since - 1 + before.offset) / DAY_MS) : -1e9;
        // The first one also holds for everything before it.
        offsets.push({ since: before ? since : Math.min(since, from), offset, leastDay });
      }
    }
    return offsets;
  }

  /** The offset at the start of the UTC year, then each that begins in it. */
  private offsetsIn(year: number): readonly Offset[] {
    const known = this.years.get(year);
    if (known) return known;
    const offsets: Offset[] = [];
    const end = Date.UTC(year + 1, 0, 1);
    let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(
      Date.UTC(year, 0, 1),
    ).toZonedDateTimeISO(this.zone);
    while (at && at.epochMilliseconds < end) {
      offsets.push({ since: at.epochMilliseconds, offset: at.offsetNanoseconds / 1e6 });
      at = at.getTimeZoneTransition('next');
    }
    this.years.set(year, offsets);
    return offsets;
  }
}

export function yearOf(instant: Instant): number {
  const year = new Date(instant).getUTCFullYear();
  return Math.min(Math.max(year, FIRST_YEAR), LAST_YEAR);
}

function zoneNamed(name: string): string | undefined {
  const isIana =
    name.length === 3 ? THREE_LETTER_NAMES.has(name.toLowerCase()) : /^(?!systemv)[a-z]/i.test(name);
  if (!isIana) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
