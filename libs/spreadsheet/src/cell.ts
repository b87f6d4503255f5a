import { getTimezoneOffset } from 'date-fns-tz';

/** The value of a cell. `null` is an empty cell; a `Date` is shown in the time zone of its file. */
export type Cell = string | number | Date | null;

/** A table, its heading first. */
export type Rows = AsyncIterable<readonly Cell[]>;

/** No day of an answer is outside them: a time that would be, in the time zone, is shown as the first or last second. */
const FIRST_SECOND = Date.parse('0001-01-01T00:00:00Z');
const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z');

/** A time as `YYYY-MM-DD HH:mm:ss`; fractions of a second are dropped. */
export function timeText(time: Date, timeZone: string): string {
  const local = time.getTime() + getTimezoneOffset(timeZone, time);
  const shown = new Date(Math.min(Math.max(local, FIRST_SECOND), LAST_SECOND)).toISOString();
  return `${shown.slice(0, 10)} ${shown.slice(11, 19)}`;
}

/** A cell in files whose cells are text or numbers. */
export function cellText(cell: Cell, timeZone: string): string | number | null {
  return cell instanceof Date ? timeText(cell, timeZone) : cell;
}

const FORMULA_START = /^[=+\-@\t\r]/;
/** As JSON writes it, or without a digit before its point. */
const PLAIN_NUMBER = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|[+-]?\.\d+)(?:[eE][+-]?\d+)?$/;
const PHONE = /^\+?[\d(][\d .()-]*$/;

/**
 * Puts an apostrophe before a text that a spreadsheet would run as a formula: one that starts with `=`, `+`, `-`, `@`, a
 * tab or a carriage return. Phone numbers and plain numbers stay as they are: they run nothing, and an apostrophe would
 * change their value for programs that read the file.
 * https://owasp.org/www-community/attacks/CSV_Injection
 */
export function guardFormula(text: string): string {
  return FORMULA_START.test(text) && !PLAIN_NUMBER.test(text) && !PHONE.test(text) ? `'${text}` : text;
}
