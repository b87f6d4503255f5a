import { InvalidArgumentError } from 'commander';
import { Temporal } from 'temporal-polyfill';
import { UsageError } from './database';

export const DAY_MS = 24 * 3_600_000;
export const FIRST_DATE = '0001-01-01';
export const LAST_DATE = '9999-12-31';
/** What JavaScript can say at all. */
const MAX_INSTANT = 8.64e15;

/** A local day: instants, in milliseconds since 1970. */
export interface Day {
  readonly date: string;
  readonly begins: number;
  readonly ends: number;
}

/** The date that clocks show which are some milliseconds ahead of UTC. Times beyond the calendar count to its first or last day. */
export function dateAt(instant: number, ahead = 0): string {
  const first = Date.parse(FIRST_DATE);
  const last = Date.parse(LAST_DATE);
  return new Date(Math.min(Math.max(instant + ahead, first), last)).toISOString().slice(0, 10);
}

export function dateAfter(date: string, days: number): string {
  return dateAt(Date.parse(date) + days * DAY_MS);
}

/** The local days from one date to another, in order. Each begins at its first instant. */
export function daysOf(timezone: string, first: string, last: string): Day[] {
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timezone).epochMilliseconds;
  const days: Day[] = [];
  let date = Temporal.PlainDate.from(first);
  for (let begins = startOf(date); Temporal.PlainDate.compare(date, last) <= 0;) {
    const next = date.add({ days: 1 });
    const ends = startOf(next);
    const text = date.toString();
    days.push({
      date: text,
      begins: text === FIRST_DATE ? -MAX_INSTANT : begins,
      ends: text === LAST_DATE ? MAX_INSTANT : ends,
    });
    [date, begins] = [next, ends];
  }
  return days;
}

export function daysIn({ startDate, endDate }: { startDate: string; endDate: string }): number {
  return (Date.parse(endDate) - Date.parse(startDate)) / DAY_MS + 1;
}

/** Ten years. */
const MAX_DAYS = 3_660;

/**
 * @param name of what has the days
 * @param otherwise what may stand in place of the options
 * @throws UsageError
 */
export function checkPeriod(name: string, otherwise: string, startDate?: string, endDate?: string): void {
  if (startDate === undefined || endDate === undefined || startDate > endDate)
    throw new UsageError(`--start-date and a later or equal --end-date are needed, or ${otherwise}`);
  if (daysIn({ startDate, endDate }) > MAX_DAYS) throw new UsageError(`${name} has at most ${MAX_DAYS} days`);
}

/** For options of a command. */
export function parseDate(text: string): string {
  const time = Date.parse(text);
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && text >= FIRST_DATE && !Number.isNaN(time);
  if (isDate && new Date(time).toISOString().startsWith(text)) return text;
  throw new InvalidArgumentError('It must be a day, for instance 2026-03-01.');
}

/** @returns the name that was asked for, in the case of the IANA database; services take no offsets */
export function parseTimezone(name: string): string {
  try {
    if (/^[a-z]/i.test(name))
      return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    // It is none.
  }
  throw new InvalidArgumentError('It must be an IANA timezone, for instance Europe/Berlin.');
}

/** Whether two names are of one timezone. */
export function isSameTimezone(one: string, other: string): boolean {
  const canonical = (timeZone: string) =>
    new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  return one === other || canonical(one) === canonical(other);
}
