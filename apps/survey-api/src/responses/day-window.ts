const DAY_MS = 86_400_000;
const UTC_OFFSET_MS = 7 * 3_600_000;

/** Whole calendar days in UTC+7, both inclusive, as `YYYY-MM-DD`. */
export interface DayWindow {
  readonly startDate: string;
  readonly endDate: string;
}

/** The first instant of a date in UTC+7. */
export function startOfDay(date: string): Date {
  return new Date(utcMidnight(date) - UTC_OFFSET_MS);
}

/** The instants of a window, half-open: from the first of its first day to before the first after its last day. */
export function instantsOf({ startDate, endDate }: DayWindow): { from: Date; before: Date } {
  return { from: startOfDay(startDate), before: new Date(startOfDay(endDate).getTime() + DAY_MS) };
}

/** Moves the start of a window that is longer than `maximumDays` to that many days before its end. */
export function shortenWindow({ startDate, endDate }: DayWindow, maximumDays: number): DayWindow {
  const earliestStart = utcMidnight(endDate) - maximumDays * DAY_MS;
  return utcMidnight(startDate) < earliestStart
    ? { startDate: dateOf(earliestStart), endDate }
    : { startDate, endDate };
}

function utcMidnight(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

function dateOf(utcTime: number): string {
  return new Date(utcTime).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
