import { countUpTo } from '../sorted';
import { type HumanSchedule, type ScheduleInterval } from './human-schedule';
import { type Interval, IntervalUnion, runningSums } from './intervals';
import { type Day, DAY_MS, dayOf } from './timezone';

const MINUTE_MS = 60_000;
const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];

/** The business time of a date on a clock that never changes, from its midnight to the next. */
export class DayHours {
  readonly length: number;

  /**
   * @param tail how long intervals of the date before go on
   * @param own of the intervals that start on the date
   */
  constructor(
    private readonly tail: number,
    private readonly own: IntervalUnion,
  ) {
    this.length = this.lengthBefore(DAY_MS);
  }

  lengthBefore(point: number): number {
    if (point <= this.tail) return point;
    return this.tail + this.own.lengthBefore(point) - this.own.lengthBefore(this.tail);
  }
}

/**
 * A human schedule on a wall clock that never changes. Most dates are like every other of their weekday; those with an exception, and
 * the ones after them, are worked out once. So the business time before any date is whole weeks, plus what those dates differ by,
 * whatever the length of the span. It takes n·log n steps for n intervals.
 */
export class ScheduleDays {
  /** Per weekday, Monday first: the intervals that start on it, from its midnight. */
  private readonly weekly: readonly Interval[][];
  /** Per weekday: what a usual date of it holds, with the tail of the night before. */
  private readonly usual: readonly DayHours[];
  /** Business time of a usual week before each weekday; then that of the whole week. */
  private readonly usualBefore: readonly number[];
  private readonly exceptions: ReadonlyMap<Day, Interval[]>;
  private readonly oddDays: ReadonlyMap<Day, DayHours>;
  private readonly oddDates: readonly Day[];
  /** By how much the odd dates before each odd date differ from usual ones; then all of them. */
  private readonly differencesBefore: readonly number[];
  /** How many intervals are held: a measure of memory. */
  readonly size: number;

  constructor(schedule: HumanSchedule) {
    this.weekly = WEEKDAYS.map((weekday) =>
      schedule.weekly.filter((interval) => interval.weekday === weekday + 1).map(sinceMidnight),
    );
    this.exceptions = new Map(
      schedule.exceptions.map(({ date, intervals }) => [
        dayOf(Date.parse(date)),
        intervals.map(sinceMidnight),
      ]),
    );
    const own = this.weekly.map(withinDay);
    this.usual = own.map((hours, weekday) => new DayHours(tailOf(this.weekly[(weekday + 6) % 7]!), hours));
    this.usualBefore = runningSums(this.usual.map(({ length }) => length));
    const dates = new Set([...this.exceptions.keys()].flatMap((day) => [day, day + 1]));
    this.oddDates = [...dates].sort((a, b) => a - b);
    this.oddDays = new Map(
      this.oddDates.map((day) => {
        const exception = this.exceptions.get(day);
        const hours = exception ? withinDay(exception) : own[weekdayOf(day)]!;
        return [day, new DayHours(tailOf(this.startingOn(day - 1)), hours)];
      }),
    );
    this.differencesBefore = runningSums(
      this.oddDates.map((day) => this.oddDays.get(day)!.length - this.usual[weekdayOf(day)]!.length),
    );
    const held = [...this.weekly, ...this.exceptions.values()].map((intervals) => intervals.length);
    // Each as it is given and in a union. A date takes as much as an interval.
    this.size = held.reduce((sum, count) => sum + 2 * count, this.oddDates.length);
  }

  /** The intervals that start on a date, from its midnight. */
  startingOn(day: Day): readonly Interval[] {
    return this.exceptions.get(day) ?? this.weekly[weekdayOf(day)]!;
  }

  /** The business time of a date, from its midnight to the next. */
  on(day: Day): DayHours {
    return this.oddDays.get(day) ?? this.usual[weekdayOf(day)]!;
  }

  /** Milliseconds of business time before a date, counted from a fixed one in the past. */
  lengthBefore(day: Day): number {
    const weekday = weekdayOf(day);
    const weeks = (day - weekday) / 7;
    const usual = Math.floor(weeks) * this.usualBefore[7]! + this.usualBefore[weekday]!;
    return usual + this.differencesBefore[countUpTo(this.oddDates, day - 1)]!;
  }
}

function withinDay(starting: readonly Interval[]): IntervalUnion {
  return new IntervalUnion(starting, 0, DAY_MS);
}

/** How far the intervals that start on a date go into the next one. */
function tailOf(starting: readonly Interval[]): number {
  return starting.reduce((tail, { to }) => Math.max(tail, to - DAY_MS), 0);
}

/** 0 (Monday) … 6; 1970-01-01 was a Thursday. */
function weekdayOf(day: Day): number {
  return (((day + 3) % 7) + 7) % 7;
}

function sinceMidnight({ start, end }: ScheduleInterval): Interval {
  const from = minutesOf(start) * MINUTE_MS;
  const to = minutesOf(end) * MINUTE_MS;
  return { from, to: to <= from ? to + DAY_MS : to };
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number);
  return hours! * 60 + minutes!;
}
