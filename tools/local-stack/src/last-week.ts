export const MINUTE = 60_000;
export const DAY = 24 * 60 * MINUTE;
/** Of Singapore, the default timezone of the export, where the team of the demo works: in milliseconds. */
export const OFFSET = 8 * 60 * MINUTE;

/** The days from Monday to Sunday that ended last, in the timezone of the export. */
export function lastWeek(now: Date): { readonly monday: string; readonly sunday: string } {
  const today = Math.floor((now.getTime() + OFFSET) / DAY);
  const monday = today - weekdayOf(today) - 7;
  return { monday: dateOf(monday), sunday: dateOf(monday + 6) };
}

/** @param day since 1970 in the demo's timezone. @returns 0 for Monday; the first day of 1970 was a Thursday */
export function weekdayOf(day: number): number {
  return (day + 3) % 7;
}

/** @param day since 1970 */
export function dateOf(day: number): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}
