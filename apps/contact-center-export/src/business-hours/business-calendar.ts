import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { yieldToEventLoop } from '@cxp/storage';
import type { Instant } from '../instant';
import { BusinessYear, ScheduleDates } from './business-year';
import type { VersionedSchedule } from './human-schedule.entity';
import { HumanScheduleRepository } from './human-schedule.repository';
import { FIRST_YEAR, LAST_YEAR, type Timezone, yearOf } from './timezone';

/** The most intervals of cached years, at 12 bytes each: enough for all years of the largest schedule in one timezone. */
const MAX_YEAR_INTERVALS = 3_000_000;

const COUNTED_FROM = Date.UTC(FIRST_YEAR, 0, 1);
const COUNTED_TO = Date.UTC(LAST_YEAR + 1, 0, 1);

export function isCounted(from: Instant, to: Instant): boolean {
  return from >= COUNTED_FROM && to <= COUNTED_TO;
}

export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

export class BusinessYears {
  private readonly years = new LRUCache<string, BusinessYear>({
    maxSize: MAX_YEAR_INTERVALS,
    sizeCalculation: ({ size }) => size,
  });

  has(key: string): boolean {
    return this.years.has(key);
  }

  get(key: string, make: () => BusinessYear): BusinessYear {
    const known = this.years.get(key);
    if (known) return known;
    const made = make();
    this.years.set(key, made);
    return made;
  }
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
   * Computes the years between two instants. All years of a new timezone take tenths of a second, so it yields between years.
   */
  async prepare(from: Instant, to: Instant, stop?: AbortSignal): Promise<void> {
    for (let year = yearOf(from); year <= yearOf(to); year += 1) {
      stop?.throwIfAborted();
      if (this.years.has(this.keyOf(year))) continue;
      await yieldToEventLoop();
      this.of(year);
    }
  }

  /**
   * Whole seconds of business time in a span, rounded down; 0 when the span is empty or reversed, null outside of the counted
   * years.
   */
  secondsBetween(from: Instant, to: Instant): number | null {
    if (!isCounted(from, to)) return null;
    if (to <= from) return 0;
    const [first, last] = [yearOf(from), yearOf(to)];
    let length = this.of(last).lengthBefore(to) - this.of(first).lengthBefore(from);
    for (let year = first; year < last; year += 1) length += this.of(year).length;
    return wholeSeconds(length);
  }

  /** As `secondsBetween`, one year after the other: other calendars may take a year out of the cache at each pause. */
  async secondsOf(spans: readonly (Span | null)[], stop?: AbortSignal): Promise<(number | null)[]> {
    const counted = spans.map((span) => (span && isCounted(span.from, span.to) ? span : null));
    const lengths = spans.map(() => 0);
    const years = counted.flatMap((span) => (span ? [yearOf(span.from), yearOf(span.to)] : []));
    const last = years.reduce((one, other) => Math.max(one, other), -Infinity);
    for (let year = years.reduce((one, other) => Math.min(one, other), Infinity); year <= last; year += 1) {
      stop?.throwIfAborted();
      if (!this.years.has(this.keyOf(year))) await yieldToEventLoop();
      const business = this.of(year);
      for (const [place, span] of counted.entries()) {
        if (!span || year < yearOf(span.from) || year > yearOf(span.to)) continue;
        lengths[place]! += year === yearOf(span.to) ? business.lengthBefore(span.to) : business.length;
        if (year === yearOf(span.from)) lengths[place]! -= business.lengthBefore(span.from);
      }
    }
    return counted.map((span, place) => (span ? wholeSeconds(Math.max(0, lengths[place]!)) : null));
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
    return this.years.get(this.keyOf(year), () => new BusinessYear(year, this.schedule, this.timezone));
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
  private readonly years = new BusinessYears();
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
