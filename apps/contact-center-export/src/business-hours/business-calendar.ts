import { inTurns } from '../in-turns';
import { countUpTo } from '../sorted';
import { type Interval, IntervalUnion, runningSums } from './intervals';
import { type ScheduleDays } from './schedule-days';
import { type Day, type Instant, DAY_MS, type Timezone, datesOfChanges, dayOf } from './timezone';
import { type ZoneTransitions } from './zone-transitions';

/** How far around a span changes of the clocks count. */
const MARGIN_MS = 2 * DAY_MS;

/** The business time of a date on which the clocks change, from its first instant to that of the next. */
interface ChangedDay {
  readonly startsAt: Instant;
  readonly endsAt: Instant;
  readonly intervals: IntervalUnion;
}

/**
 * A human schedule in one timezone: its dates on a clock that never changes, plus what the dates differ by on which the clocks do
 * change. Those are worked out for the years that are asked about.
 */
export class BusinessCalendar {
  /** What the two below were made from. */
  private transitions: ZoneTransitions | undefined;
  private changedDates: readonly Day[] = [];
  /** By how much the changed dates before each changed date differ; then all of them. */
  private differencesBefore: readonly number[] = [0];
  private readonly changedDays = new Map<Day, ChangedDay>();

  /** How many intervals are held, those of the schedule with them: a measure of memory. It grows with the years. */
  size: number;

  constructor(
    private readonly schedule: ScheduleDays,
    private readonly timezone: Timezone,
  ) {
    this.size = schedule.size;
  }

  /** Works out, in turns, what the calendar needs to know of the time between two instants. */
  async prepare(from: Instant, to: Instant): Promise<void> {
    const [start, end] = [from - MARGIN_MS, to + MARGIN_MS];
    await this.timezone.learn(start, end);
    const transitions = this.timezone.transitionsBetween(start, end);
    if (transitions === this.transitions) return;
    for await (const day of inTurns(datesOfChanges(transitions))) this.knowDay(day);
    this.know(from, to);
  }

  /** Whole seconds of business time in a span, rounded down; 0 when the span is empty or reversed. */
  secondsBetween(from: Instant, to: Instant): number {
    if (to <= from) return 0;
    this.know(from, to);
    return Math.floor((this.businessBefore(to) - this.businessBefore(from)) / 1000);
  }

  /** Milliseconds of business time before an instant, counted from a fixed one in the past. */
  private businessBefore(instant: Instant): number {
    const wallTime = instant + this.timezone.offsetAt(instant);
    let day = dayOf(wallTime);
    // Clocks that are set back across midnight show the old date again, which is over.
    if (instant >= (this.changedDays.get(day)?.endsAt ?? Infinity)) day += 1;
    const changed = this.changedDays.get(day);
    const intoTheDay = changed
      ? changed.intervals.lengthBefore(instant - changed.startsAt)
      : this.schedule.on(day).lengthBefore(wallTime - day * DAY_MS);
    const difference = this.differencesBefore[countUpTo(this.changedDates, day - 1)]!;
    return this.schedule.lengthBefore(day) + difference + intoTheDay;
  }

  /** Works out the dates around a span on which the clocks change. */
  private know(from: Instant, to: Instant): void {
    const transitions = this.timezone.transitionsBetween(from - MARGIN_MS, to + MARGIN_MS);
    if (transitions === this.transitions) return;
    this.transitions = transitions;
    this.changedDates = datesOfChanges(transitions);
    for (const day of this.changedDates) this.knowDay(day);
    this.differencesBefore = runningSums(
      this.changedDates.map(
        (day) => this.changedDays.get(day)!.intervals.length - this.schedule.on(day).length,
      ),
    );
  }

  private knowDay(day: Day): void {
    if (this.changedDays.has(day)) return;
    const changed = this.workOut(day);
    this.changedDays.set(day, changed);
    this.size += changed.intervals.count + 1;
  }

  /** A gap in the clocks can push the end of a night's interval past the next date too: two dates back count. */
  private workOut(day: Day): ChangedDay {
    const startsAt = this.timezone.startOf(day);
    const endsAt = this.timezone.startOf(day + 1);
    const starting = [day - 2, day - 1, day].flatMap((date) => this.startingOn(date));
    return { startsAt, endsAt, intervals: new IntervalUnion(starting, startsAt, endsAt) };
  }

  private startingOn(day: Day): Interval[] {
    const isSkipped = this.timezone.startOf(day) === this.timezone.startOf(day + 1);
    if (isSkipped) return [];
    return this.schedule.startingOn(day).map(({ from, to }) => ({
      from: this.timezone.instantOf(day * DAY_MS + from),
      to: this.timezone.instantOf(day * DAY_MS + to),
    }));
  }
}
