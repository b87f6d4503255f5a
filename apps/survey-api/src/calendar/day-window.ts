import { formatInTimeZone, fromZonedTime, getTimezoneOffset } from 'date-fns-tz';
import { utcTime } from '@cxp/records';
import { DAY_MS } from '@cxp/storage';

export const TIME_ZONE = '+07:00';
export const OFFSET_MS = getTimezoneOffset(TIME_ZONE);

/** Whole calendar days in UTC+7, both inclusive, as `YYYY-MM-DD`. */
export interface DayWindow {
  readonly startDate: string;
  readonly endDate: string;
}

export function startOfDay(date: string): Date {
  return fromZonedTime(`${date}T00:00:00`, TIME_ZONE);
}

const LAST_DATE = '9999-12-31';

/**
 * Half-open: from the start of the first day to the start of the day after the last one. The last possible date also includes
 * what is in the year 10000 in UTC+7.
 */
export function instantsOf({ startDate, endDate }: DayWindow): { from: Date; before: Date } {
  return {
    from: startOfDay(startDate),
    before: new Date(startOfDay(endDate).getTime() + DAY_MS + (endDate === LAST_DATE ? OFFSET_MS : 0)),
  };
}

export function shortenWindow({ startDate, endDate }: DayWindow, maximumDays: number): DayWindow {
  const earliestStart = new Date(startOfDay(endDate).getTime() - maximumDays * DAY_MS);
  return startOfDay(startDate) < earliestStart
    ? { startDate: formatInTimeZone(earliestStart, TIME_ZONE, 'yyyy-MM-dd'), endDate }
    : { startDate, endDate };
}

/** An instant with any offset, in UTC with milliseconds, as answers show it. */
export function utc(instant: string | null | undefined): string | null {
  return typeof instant === 'string' ? new Date(utcTime(instant)).toISOString() : null;
}
