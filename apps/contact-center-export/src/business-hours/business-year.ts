import type { HumanScheduleData } from '@cxp/records';
import { countUpTo } from '../count-up-to';
import { DAY_MS, type Instant, type Timezone } from './timezone';

const MINUTE_MS = 60_000;

/** When an organization's people are at work, in local times of the timezone of a request. */
export interface HumanSchedule {
  readonly weekly: readonly WeeklyInterval[];
  readonly exceptions: readonly ScheduleException[];
}

export type WeeklyInterval = Readonly<HumanScheduleData['weekly'][number]>;

/** Replaces the intervals that start on its date; none: closed. */
export type ScheduleException = Readonly<NonNullable<HumanScheduleData['exceptions']>[number]>;

/** Ends at `end` of the same day, or of the next where `end` is at or before `start`. */
export type ScheduleInterval = Readonly<Pick<WeeklyInterval, 'start' | 'end'>>;

/** An interval that starts on a date, in milliseconds of a wall clock since its midnight. */
interface Opening {
  readonly from: number;
  readonly to: number;
}

export class ScheduleDates {
  private readonly exceptions: ReadonlyMap<number, readonly Opening[]>;
  /** Sunday first. */
  private readonly weekly: readonly (readonly Opening[])[];
  /** How many intervals it has: a measure of memory. */
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

  /** @param midnight of the date, as UTC */
  startingOn(midnight: number): readonly Opening[] {
    return this.exceptions.get(midnight) ?? this.weekly[new Date(midnight).getUTCDay()]!;
  }
}

/** The business time of one year, in UTC, of a schedule in a timezone: merged intervals with running sums, in seconds since its start. */
export class BusinessYear {
  private readonly start: Instant;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  /** The length of the intervals before each, then of all. */
  private readonly before: Int32Array;

  constructor(year: number, schedule: ScheduleDates, timezone: Timezone) {
    const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)];
    this.start = start;
    const merged: [from: Instant, to: Instant][] = [];
    for (const [opensAt, closesAt] of openingsAround(start, end, schedule, timezone)) {
      const [from, to] = [Math.max(opensAt, start), Math.min(closesAt, end)];
      const last = merged.at(-1);
      if (from >= to) continue;
      if (last && from <= last[1]) last[1] = Math.max(last[1], to);
      else merged.push([from, to]);
    }
    this.starts = Int32Array.from(merged, ([from]) => (from - start) / 1_000);
    this.ends = Int32Array.from(merged, ([, to]) => (to - start) / 1_000);
    this.before = new Int32Array(merged.length + 1);
    for (const place of merged.keys()) {
      this.before[place + 1] = this.before[place]! + this.ends[place]! - this.starts[place]!;
    }
  }

  /** How many intervals it has: a measure of memory. */
  get size(): number {
    return this.before.length;
  }

  /** Seconds of business time in the year. */
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

/** The intervals of the dates between two instants, and of the dates around them: a night's interval, or a gap, reaches into the next. */
function openingsAround(
  start: Instant,
  end: Instant,
  schedule: ScheduleDates,
  timezone: Timezone,
): [opensAt: Instant, closesAt: Instant][] {
  const openings: [Instant, Instant][] = [];
  for (let midnight = start - 4 * DAY_MS; midnight < end + 2 * DAY_MS; midnight += DAY_MS) {
    const isSkipped = timezone.instantOf(midnight) === timezone.instantOf(midnight + DAY_MS);
    if (isSkipped) continue;
    for (const { from, to } of schedule.startingOn(midnight)) {
      openings.push([timezone.instantOf(midnight + from), timezone.instantOf(midnight + to)]);
    }
  }
  return openings.sort(([one], [other]) => one - other);
}

function opening({ start, end }: ScheduleInterval): Opening {
  const [from, to] = [sinceMidnight(start), sinceMidnight(end)];
  return { from, to: to <= from ? to + DAY_MS : to };
}

function sinceMidnight(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return (hours! * 60 + minutes!) * MINUTE_MS;
}
