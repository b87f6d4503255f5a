import type { HumanSchedule, ScheduleInterval } from '../../src/business-hours';

const DAY = 24 * 60 * 60 * 1000;

/**
 * The largest legal schedule, or one of so many parts of it: a record has at most 20,000 values, of which an exception takes three and
 * an interval three. No interval meets another one.
 */
export function worstSchedule(parts = 1): HumanSchedule {
  return {
    weekly: Array.from({ length: 200 / parts }, (_, place) => ({ weekday: 7, ...minuteOf(place * 5) })),
    exceptions: Array.from({ length: 2_000 / parts }, (_, place) => ({
      // The day after each is a Sunday.
      date: new Date(Date.UTC(1990, 0, 6) + place * 7 * DAY).toISOString().slice(0, 10),
      intervals: Array.from({ length: 2 }, (_, each) => minuteOf(each * 5)),
    })),
  };
}

/** Two minutes of the day, from one of them. */
export function minuteOf(minute: number): ScheduleInterval {
  return { start: wallTime(minute), end: wallTime(minute + 2) };
}

function wallTime(minute: number): string {
  return new Date(minute * 60_000).toISOString().slice(11, 16);
}
