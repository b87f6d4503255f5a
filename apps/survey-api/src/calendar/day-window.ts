import { addHours, subHours } from 'date-fns';
import { formatInTimeZone, fromZonedTime } from 'date-fns-tz';
import { utcTime } from '@cxp/records';

/** The time zone of calendar dates and of times in files. */
export const TIME_ZONE = '+07:00';

/** Whole calendar days in UTC+7, both inclusive, as `YYYY-MM-DD`. */
export interface DayWindow {
  readonly startDate: string;
  readonly endDate: string;
}

/** The first instant of a date in UTC+7. */
export function startOfDay(date: string): Date {
  return fromZonedTime(`${date}T00:00:00`, TIME_ZONE);
}

const LAST_DATE = '9999-12-31';

/**
 * The instants of a window, half-open: from the first of its first day to before the first after its last day. The last date of all has
 * the seven hours after it, too, which are in the year 10000 only here.
 */
export function instantsOf({ startDate, endDate }: DayWindow): { from: Date; before: Date } {
  return {
    from: startOfDay(startDate),
    before: addHours(startOfDay(endDate), endDate === LAST_DATE ? 31 : 24),
  };
}

/** Moves the start of a window that is longer than `maximumDays` to that many days before its end. */
export function shortenWindow({ startDate, endDate }: DayWindow, maximumDays: number): DayWindow {
  const earliestStart = subHours(startOfDay(endDate), maximumDays * 24);
  return startOfDay(startDate) < earliestStart
    ? { startDate: formatInTimeZone(earliestStart, TIME_ZONE, 'yyyy-MM-dd'), endDate }
    : { startDate, endDate };
}

/** An instant with any offset in UTC, as answers write it: with milliseconds. */
export function utc(instant: string | null | undefined): string | null {
  return typeof instant === 'string' ? new Date(utcTime(instant)).toISOString() : null;
}
