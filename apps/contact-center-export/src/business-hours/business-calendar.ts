import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { yieldToEventLoop, DAY_MS } from '@cxp/storage';
import { countUpTo, type Instant } from '../instant';
import {
  type HumanSchedule,
  HumanScheduleRepository,
  type ScheduleInterval,
  type VersionedSchedule,
} from './human-schedule.repository';
import { FIRST_YEAR, LAST_YEAR, type Timezone, yearOf } from './timezone';

const MINUTE_MS = 60_000;

/** Milliseconds since midnight of its date, on the wall clock. */
interface Opening {
  readonly from: number;
  readonly to: number;
}

export class ScheduleDates {
  private readonly exceptions: ReadonlyMap<number, readonly Opening[]>;
  /** Sunday is first. */
  private readonly weekly: readonly (readonly Opening[])[];
  readonly size: number;

  constructor({ weekly, exceptions }: HumanSchedule) {
    this.weekly = [7, 1, 2, 3, 4, 5, 6].map((weekday) =>
      weekly.filter((interval) => interval.weekday === weekday).map(opening),
    );
    this.exceptions = new Map(
      exceptions.map(({ date, intervals }) => [Date.parse(date), intervals.map(opening)]),
    );
    this.size = exceptions.reduce((sum, { intervals }) => sum + intervals.length + 1, weekly.length + 1);
  }

  startingOn(midnight: number): readonly Opening[] {
    return this.exceptions.get(midnight) ?? this.weekly[new Date(midnight).getUTCDay()]!;
  }
}

/** The business time of one UTC year: merged intervals with running sums, in seconds since the start of the year. */
class BusinessYear {
  private readonly start: Instant;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  /** The summed length before each interval, then of all. */
  private readonly before: Int32Array;

  constructor(year: number, schedule: ScheduleDates, timezone: Timezone) {
    const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
    this.start = start;
    const { starts, ends } = openingsAround(start, end, schedule, timezone);
    // Merges in place: time begins anew with an opening before which as many have ended as have begun.
    let size = 0;
    for (let place = 0; place < starts.length; place += 1) {
      if (place === 0 || starts[place]! > ends[place - 1]!) starts[size++] = starts[place]!;
      ends[size - 1] = ends[place]!;
    }
    this.starts = starts.slice(0, size);
    this.ends = ends.slice(0, size);
    this.before = new Int32Array(size + 1);
    for (let place = 0; place < size; place += 1) {
      this.before[place + 1] = this.before[place]! + ends[place]! - starts[place]!;
    }
  }

  get size(): number {
    return this.before.length;
  }

  get length(): number {
    return this.before.at(-1)!;
  }

  lengthBefore(instant: Instant): number {
    const second = (instant - this.start) / 1_000;
    const place = countUpTo(this.starts, second) - 1;
    if (place < 0) return 0;
    return this.before[place]! + Math.min(second, this.ends[place]!) - this.starts[place]!;
  }

  *intervalsBetween(from: Instant, to: Instant): Generator<{ from: Instant; to: Instant }> {
    const first = countUpTo(this.starts, (from - this.start) / 1_000) - 1;
    for (let place = Math.max(0, first); place < this.starts.length; place += 1) {
      const start = Math.max(from, this.start + this.starts[place]! * 1_000);
      const end = Math.min(to, this.start + this.ends[place]! * 1_000);
      if (start >= to) return;
      if (start < end) yield { from: start, to: end };
    }
  }
}

/**
 * When openings between two instants start and when they end, each in order, in seconds since the first instant. Includes the
 * dates around them, because a night's interval or a gap reaches into the next day.
 */
function openingsAround(
  start: Instant,
  end: Instant,
  schedule: ScheduleDates,
  timezone: Timezone,
): { readonly starts: Int32Array; readonly ends: Int32Array } {
  const [starts, ends]: [number[], number[]] = [[], []];
  const add = (opensAt: Instant, closesAt: Instant) => {
    const [from, to] = [Math.max(opensAt, start), Math.min(closesAt, end)];
    if (from >= to) return;
    starts.push((from - start) / 1_000);
    ends.push((to - start) / 1_000);
  };
  for (let midnight = start - 4 * DAY_MS; midnight < end + 2 * DAY_MS; midnight += DAY_MS) {
    // What `instantOf` would look at for the openings of this date.
    const offset = timezone.constantOffset(midnight - DAY_MS, midnight + 3 * DAY_MS);
    if (offset !== undefined) {
      const zero = midnight - offset;
      for (const { from, to } of schedule.startingOn(midnight)) add(zero + from, zero + to);
      continue;
    }
    const isSkipped = timezone.instantOf(midnight) === timezone.instantOf(midnight + DAY_MS);
    if (isSkipped) continue;
    for (const { from, to } of schedule.startingOn(midnight)) {
      add(timezone.instantOf(midnight + from), timezone.instantOf(midnight + to));
    }
  }
  return { starts: Int32Array.from(starts).sort(), ends: Int32Array.from(ends).sort() };
}

function opening({ start, end }: ScheduleInterval): Opening {
  const [from, to] = [sinceMidnight(start), sinceMidnight(end)];
  return { from, to: to <= from ? to + DAY_MS : to };
}

function sinceMidnight(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours! * 60 + minutes!) * MINUTE_MS;
}

/** The most intervals of cached years, at 12 bytes each: enough for all years of the largest schedule in one timezone. */
const MAX_YEAR_INTERVALS = 3_000_000;

const COUNTED_FROM = Date.UTC(FIRST_YEAR, 0, 1);
const COUNTED_TO = Date.UTC(LAST_YEAR + 1, 0, 1);

function isCounted(from: Instant, to: Instant): boolean {
  return from >= COUNTED_FROM && to <= COUNTED_TO;
}

export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** null if one of the two is missing, or the second is earlier than the first: then metrics are null. */
export function spanOf(from: Instant | null, to: Instant | null): Span | null {
  return from === null || to === null || to < from ? null : { from, to };
}

/** The computed years of all calendars, by `keyOf`. */
export type BusinessYears = LRUCache<string, BusinessYear>;

export function businessYears(): BusinessYears {
  return new LRUCache({ maxSize: MAX_YEAR_INTERVALS, sizeCalculation: ({ size }) => size });
}

/** The business time of a schedule in a timezone. Years are computed when they are asked for. */
export class BusinessCalendar {
  constructor(
    private readonly version: string,
    private readonly schedule: ScheduleDates,
    private readonly timezone: Timezone,
    private readonly years: BusinessYears,
  ) {}

  /**
   * Whole seconds of business time in each span, rounded down; 0 when the span is empty or reversed, null outside of the counted
   * years. All years of a new timezone take tenths of a second, so it yields between years. Other calendars may then take a year
   * out of the cache.
   */
  async secondsOf(spans: readonly (Span | null)[], stop?: AbortSignal): Promise<(number | null)[]> {
    const counted = spans.map((span) => (span && isCounted(span.from, span.to) ? span : null));
    const years = counted.flatMap((span) => (span ? [yearOf(span.from), yearOf(span.to)] : []));
    const last = years.reduce((one, other) => Math.max(one, other), -Infinity);
    const known = new Map<number, { readonly business: BusinessYear; readonly before: number }>();
    let before = 0;
    for (let year = years.reduce((one, other) => Math.min(one, other), Infinity); year <= last; year += 1) {
      stop?.throwIfAborted();
      if (!this.years.has(this.keyOf(year))) await yieldToEventLoop();
      const business = this.of(year);
      known.set(year, { business, before });
      before += business.length;
    }
    const lengthBefore = (instant: Instant) => {
      const { business, before } = known.get(yearOf(instant))!;
      return before + business.lengthBefore(instant);
    };
    return counted.map((span) =>
      span ? wholeSeconds(Math.max(0, lengthBefore(span.to) - lengthBefore(span.from))) : null,
    );
  }

  /** The business time inside a span, as ordered, separate intervals. */
  *intervalsBetween(from: Instant, to: Instant): Generator<{ from: Instant; to: Instant }> {
    let last: { from: Instant; to: Instant } | undefined;
    for (let year = yearOf(from); year <= yearOf(to); year += 1) {
      for (const interval of this.of(year).intervalsBetween(from, to)) {
        // An interval that crosses midnight on New Year's Eve continues in the next year.
        if (last && last.to === interval.from) last.to = interval.to;
        else {
          if (last) yield last;
          last = interval;
        }
      }
    }
    if (last) yield last;
  }

  private of(year: number): BusinessYear {
    const known = this.years.get(this.keyOf(year));
    if (known) return known;
    const made = new BusinessYear(year, this.schedule, this.timezone);
    this.years.set(this.keyOf(year), made);
    return made;
  }

  private keyOf(year: number): string {
    return `${year} ${this.version} ${this.timezone.zone}`;
  }
}

/** Rounding to microseconds removes the floating-point error of a sum. */
function wholeSeconds(length: number): number {
  return Math.floor(Math.round(length * 1e6) / 1e6);
}

/** The most intervals of cached schedules, at about 80 bytes each. */
const MAX_SCHEDULE_INTERVALS = 100_000;

/** Computed years are cached by the version of the schedule. */
@Injectable()
export class BusinessCalendars {
  private readonly years = businessYears();
  private readonly schedules = new LRUCache<string, ScheduleDates>({
    maxSize: MAX_SCHEDULE_INTERVALS,
    sizeCalculation: ({ size }) => size,
  });

  constructor(private readonly repository: HumanScheduleRepository) {}

  async ofOrganization(organizationId: string, timezone: Timezone): Promise<BusinessCalendar | undefined> {
    const stored = await this.repository.find(organizationId);
    return stored ? this.of(stored, timezone) : undefined;
  }

  of(stored: VersionedSchedule, timezone: Timezone): BusinessCalendar {
    const schedule = this.schedules.get(stored.version) ?? new ScheduleDates(stored);
    this.schedules.set(stored.version, schedule);
    return new BusinessCalendar(stored.version, schedule, timezone, this.years);
  }

  /** @param version as just read; null if the organization has no schedule */
  async ofVersion(
    organizationId: string,
    version: string | null,
    timezone: Timezone,
  ): Promise<BusinessCalendar | undefined> {
    if (version === null) return undefined;
    const schedule = this.schedules.get(version);
    if (!schedule) return this.ofOrganization(organizationId, timezone);
    return new BusinessCalendar(version, schedule, timezone, this.years);
  }
}
