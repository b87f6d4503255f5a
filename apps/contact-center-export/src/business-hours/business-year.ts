import type { HumanScheduleData } from '@cxp/records';
import { countUpTo, type Instant } from '../instant';
import { DAY_MS, type Timezone } from './timezone';

const MINUTE_MS = 60_000;

/** Business hours, in local times of the timezone of a request. */
export interface HumanSchedule {
  readonly weekly: readonly WeeklyInterval[];
  readonly exceptions: readonly ScheduleException[];
}

export type WeeklyInterval = Readonly<HumanScheduleData['weekly'][number]>;

/** Replaces the weekly intervals that start on its date; an empty list means closed. */
export type ScheduleException = Readonly<NonNullable<HumanScheduleData['exceptions']>[number]>;

/** Ends on the next day if `end` is at or before `start`. */
export type ScheduleInterval = Readonly<Pick<WeeklyInterval, 'start' | 'end'>>;

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
export class BusinessYear {
  private readonly start: Instant;
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;
  /** The summed length before each interval, then of all. */
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

/** Includes the dates around the span, because a night's interval or a gap reaches into the next day. */
function openingsAround(
  start: Instant,
  end: Instant,
  schedule: ScheduleDates,
  timezone: Timezone,
): [opensAt: Instant, closesAt: Instant][] {
  const openings: [Instant, Instant][] = [];
  for (let midnight = start - 4 * DAY_MS; midnight < end + 2 * DAY_MS; midnight += DAY_MS) {
    // What `instantOf` would look at for the openings of this date.
    const offset = timezone.constantOffset(midnight - DAY_MS, midnight + 3 * DAY_MS);
    if (offset !== undefined) {
      const zero = midnight - offset;
      for (const { from, to } of schedule.startingOn(midnight)) openings.push([zero + from, zero + to]);
      continue;
    }
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
