import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { yieldToEventLoop } from '@cxp/storage';
import { BusinessYear, ScheduleDates } from './business-year';
import type { VersionedSchedule } from './human-schedule.entity';
import { HumanScheduleRepository } from './human-schedule.repository';
import { FIRST_YEAR, type Instant, LAST_YEAR, type Timezone, yearOf } from './timezone';

/** Intervals of years that are held, with 12 bytes each: of the largest schedule, all years in one timezone. */
const MAX_YEAR_INTERVALS = 3_000_000;

/** Business time is counted between them. */
const COUNTED_FROM = Date.UTC(FIRST_YEAR, 0, 1);
const COUNTED_TO = Date.UTC(LAST_YEAR + 1, 0, 1);

export function isCounted(from: Instant, to: Instant): boolean {
  return from >= COUNTED_FROM && to <= COUNTED_TO;
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

/** The business time of a schedule in a timezone. It is worked out for the years that are asked about. */
export class BusinessCalendar {
  constructor(
    private readonly version: string,
    private readonly schedule: ScheduleDates,
    private readonly timezone: Timezone,
    private readonly years: BusinessYears,
  ) {}

  /** Works out the years between two instants, year by year: all years of a new timezone take some tenths of a second. */
  async prepare(from: Instant, to: Instant, stop?: AbortSignal): Promise<void> {
    for (let year = yearOf(from); year <= yearOf(to); year += 1) {
      stop?.throwIfAborted();
      if (this.years.has(this.keyOf(year))) continue;
      await yieldToEventLoop();
      this.of(year);
    }
  }

  /** Whole seconds of business time in a span, rounded down; 0 when the span is empty or reversed, null when it is not counted. */
  secondsBetween(from: Instant, to: Instant): number | null {
    if (!isCounted(from, to)) return null;
    if (to <= from) return 0;
    const [first, last] = [yearOf(from), yearOf(to)];
    let length = this.of(last).lengthBefore(to) - this.of(first).lengthBefore(from);
    for (let year = first; year < last; year += 1) length += this.of(year).length;
    // Times have whole microseconds: what is less is an error of the sum.
    return Math.floor(Math.round(length * 1e6) / 1e6);
  }

  /** The business time inside a span: intervals in order, none of which touches another. */
  *intervalsBetween(from: Instant, to: Instant): Generator<{ from: Instant; to: Instant }> {
    let last: { from: Instant; to: Instant } | undefined;
    for (let year = yearOf(from); year <= yearOf(to); year += 1) {
      for (const interval of this.of(year).intervalsBetween(from, to)) {
        // A night's interval continues in the next year.
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

/** Intervals of schedules that are held, with about 80 bytes each. */
const MAX_SCHEDULE_INTERVALS = 100_000;

/** The calendars of organizations. Computed years are cached by the version of the schedule. */
@Injectable()
export class BusinessCalendars {
  private readonly years = new BusinessYears();
  private readonly schedules = new LRUCache<string, ScheduleDates>({
    maxSize: MAX_SCHEDULE_INTERVALS,
    sizeCalculation: ({ size }) => size,
  });

  constructor(private readonly repository: HumanScheduleRepository) {}

  /** @returns undefined if the organization has no schedule */
  async ofOrganization(organizationId: string, timezone: Timezone): Promise<BusinessCalendar | undefined> {
    const stored = await this.repository.find(organizationId);
    return stored ? this.of(stored, timezone) : undefined;
  }

  /** The calendar of a schedule, with a version that no other schedule has. */
  of(stored: VersionedSchedule, timezone: Timezone): BusinessCalendar {
    const schedule = this.schedules.get(stored.version) ?? new ScheduleDates(stored);
    this.schedules.set(stored.version, schedule);
    return new BusinessCalendar(stored.version, schedule, timezone, this.years);
  }

  /** @param version of the organization's schedule, as just read; null if the organization has no schedule */
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
