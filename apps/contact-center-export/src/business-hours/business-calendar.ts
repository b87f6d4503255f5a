import { type HumanSchedule, type ScheduleInterval } from './human-schedule';
import { type Interval, lengthBefore, unionWithin } from './intervals';
import { countUpTo } from '../sorted';
import { type Day, type Instant, DAY_MS, type Timezone, dayOf } from './timezone';

const MINUTE_MS = 60_000;
const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6];

/** The business time of one date, from its first instant to that of the next. */
interface BusinessDay {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
  /** Counted from `startsAt`, in order, none overlapping. */
  readonly intervals: readonly Interval[];
}

/**
 * A human schedule in one timezone. Most dates are like every other of their weekday; the few that aren't, because of
 * an exception or a change of the clocks, are worked out once. So the business time before any instant is whole weeks,
 * plus the odd dates' differences, plus a part of one day, whatever the length of the span.
 */
export class BusinessCalendar {
  /** Per weekday, Monday first: the intervals that start on it, from its midnight. */
  private readonly weekly: readonly Interval[][];
  /** Per weekday: what a usual date of it holds, with the tail of the night before. */
  private readonly usual: readonly Interval[][];
  /** Business time of a usual week before each weekday; then that of the whole week. */
  private readonly usualBefore: readonly number[];
  private readonly exceptions: ReadonlyMap<Day, Interval[]>;
  private readonly oddDays = new Map<Day, BusinessDay>();
  private readonly oddDates: readonly Day[];
  /** By how much the odd dates before each odd date differ from usual ones; then all of them. */
  private readonly differencesBefore: readonly number[];

  constructor(
    schedule: HumanSchedule,
    private readonly timezone: Timezone,
  ) {
    this.weekly = WEEKDAYS.map((weekday) =>
      schedule.weekly.filter((interval) => interval.weekday === weekday + 1).map(sinceMidnight),
    );
    this.exceptions = new Map(
      schedule.exceptions.map(({ date, intervals }) => [
        dayOf(Date.parse(date)),
        intervals.map(sinceMidnight),
      ]),
    );
    this.usual = WEEKDAYS.map((weekday) => {
      const tail = this.weekly[(weekday + 6) % 7]!.map((interval) => shifted(interval, -DAY_MS));
      return unionWithin([...tail, ...this.weekly[weekday]!], 0, DAY_MS);
    });
    this.usualBefore = runningSums(this.usual.map((intervals) => lengthBefore(intervals, DAY_MS)));
    this.oddDates = [...this.datesOutOfTheUsual()].sort((a, b) => a - b);
    for (const day of this.oddDates) this.oddDays.set(day, this.workOut(day));
    this.differencesBefore = runningSums(
      this.oddDates.map((day) => {
        const { intervals, startsAt, endsAt } = this.oddDays.get(day)!;
        return lengthBefore(intervals, endsAt - startsAt) - lengthBefore(this.usual[weekdayOf(day)]!, DAY_MS);
      }),
    );
  }

  /** Whole seconds of business time in a span, rounded down; 0 when the span is empty or reversed. */
  secondsBetween(from: Instant, to: Instant): number {
    return to <= from ? 0 : Math.floor((this.businessBefore(to) - this.businessBefore(from)) / 1000);
  }

  /** Milliseconds of business time before an instant, counted from a fixed one in the past. */
  private businessBefore(instant: Instant): number {
    const wallTime = instant + this.timezone.offsetAt(instant);
    let day = dayOf(wallTime);
    // Clocks that are set back across midnight show the old date again, which is over.
    if (instant >= (this.oddDays.get(day)?.endsAt ?? Infinity)) day += 1;
    const odd = this.oddDays.get(day);
    const intoTheDay = odd
      ? lengthBefore(odd.intervals, instant - odd.startsAt)
      : lengthBefore(this.usual[weekdayOf(day)]!, wallTime - day * DAY_MS);
    return this.businessBeforeDay(day) + intoTheDay;
  }

  private businessBeforeDay(day: Day): number {
    const weeks = Math.floor((day - weekdayOf(day)) / 7);
    const usual = weeks * this.usualBefore[7]! + this.usualBefore[weekdayOf(day)]!;
    return usual + this.differencesBefore[countUpTo(this.oddDates, day - 1)]!;
  }

  private datesOutOfTheUsual(): Set<Day> {
    const dates = new Set<Day>();
    for (const day of this.exceptions.keys()) dates.add(day).add(day + 1);
    for (const { dayBefore, dayAfter } of this.timezone.changes()) {
      const last = Math.max(dayBefore, dayAfter);
      for (let day = Math.min(dayBefore, dayAfter); day <= last; day += 1) dates.add(day);
    }
    return dates;
  }

  /** A gap in the clocks can push the end of a night's interval past the next date too: two dates back count. */
  private workOut(day: Day): BusinessDay {
    const startsAt = this.timezone.startOf(day);
    const endsAt = this.timezone.startOf(day + 1);
    const starting = [day - 2, day - 1, day].flatMap((date) => this.intervalsStartingOn(date));
    return { startsAt, endsAt, intervals: unionWithin(starting, startsAt, endsAt) };
  }

  private intervalsStartingOn(day: Day): Interval[] {
    const isSkipped = this.timezone.startOf(day) === this.timezone.startOf(day + 1);
    if (isSkipped) return [];
    const intervals = this.exceptions.get(day) ?? this.weekly[weekdayOf(day)]!;
    return intervals.map(({ from, to }) => ({
      from: this.timezone.instantOf(day * DAY_MS + from),
      to: this.timezone.instantOf(day * DAY_MS + to),
    }));
  }
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

function shifted({ from, to }: Interval, by: number): Interval {
  return { from: from + by, to: to + by };
}

/** The sum of the numbers before each, then of all. */
function runningSums(numbers: readonly number[]): number[] {
  const sums = [0];
  for (const number of numbers) sums.push(sums.at(-1)! + number);
  return sums;
}
