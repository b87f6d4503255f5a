import { formatInTimeZone, fromZonedTime } from 'date-fns-tz';
import { utcTime } from '@cxp/records';

export const TIME_ZONE = '+07:00';

/** Whole calendar days in UTC+7, both inclusive, as `YYYY-MM-DD`. */
export interface DayWindow {
  readonly startDate: string;
  readonly endDate: string;
}

export function startOfDay(date: string): Date {
  return fromZonedTime(`${date}T00:00:00`, TIME_ZONE);
}

const LAST_DATE = '9999-12-31';
const HOUR_MS = 3_600_000;

/**
 * Half-open: from the start of the first day to the start of the day after the last one. The last possible date also includes
 * the seven hours of the year 10000 in UTC+7.
 */
export function instantsOf({ startDate, endDate }: DayWindow): { from: Date; before: Date } {
  return {
    from: startOfDay(startDate),
    before: new Date(startOfDay(endDate).getTime() + (endDate === LAST_DATE ? 31 : 24) * HOUR_MS),
  };
}

export function shortenWindow({ startDate, endDate }: DayWindow, maximumDays: number): DayWindow {
  const earliestStart = new Date(startOfDay(endDate).getTime() - maximumDays * 24 * HOUR_MS);
  return startOfDay(startDate) < earliestStart
    ? { startDate: formatInTimeZone(earliestStart, TIME_ZONE, 'yyyy-MM-dd'), endDate }
    : { startDate, endDate };
}

/** An instant with any offset, in UTC with milliseconds, as answers show it. */
export function utc(instant: string | null | undefined): string | null {
  return typeof instant === 'string' ? new Date(utcTime(instant)).toISOString() : null;
}
