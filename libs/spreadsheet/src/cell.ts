import { memoize } from '@cxp/storage';
import { getTimezoneOffset } from 'date-fns-tz';

/** `null` is an empty cell; a `Date` is shown in the file's time zone. */
export type Cell = string | number | Date | null;

/** The heading is the first row. */
export type Rows = AsyncIterable<readonly Cell[]>;

/** A time outside of these, in the time zone, becomes the first or last second. */
const FIRST_SECOND = Date.parse('0001-01-01T00:00:00Z');
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z');

const offsetOf = memoize((offset: string) => getTimezoneOffset(offset));

/**
 * @param timeZone an offset such as `+07:00`
 * @returns `YYYY-MM-DD HH:mm:ss`; fractions of a second are dropped
 */
export function timeText(time: Date, timeZone: string): string {
  const local = time.getTime() + offsetOf(timeZone);
  const shown = new Date(Math.min(Math.max(local, FIRST_SECOND), LAST_SECOND)).toISOString();
  return `${shown.slice(0, 10)} ${shown.slice(11, 19)}`;
}

export function cellText(cell: Cell, timeZone: string): string | number | null {
  return cell instanceof Date ? timeText(cell, timeZone) : cell;
}

/** The full-width forms, too: in some locales they begin a formula. */
export const FORMULA_START = /^[=+\-@\uff1d\uff0b\uff0d\uff20\t\r]/;
/** A number in JSON, or without a digit before its point. */
const PLAIN_NUMBER = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|[+-]?\.\d+)(?:[eE][+-]?\d+)?$/;
const PHONE = /^\+?[\d(][\d .()-]*$/;

/**
 * Puts an apostrophe before a text that a spreadsheet would run as a formula (see `FORMULA_START`). Phone numbers and
 * numbers run nothing and stay as they are for programs.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export function guardFormula(text: string): string {
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) && !PHONE.test(text) ? `'${text}` : text;
}
