import { formatInTimeZone, getTimezoneOffset } from 'date-fns-tz';

/** The value of a cell. `null` is an empty cell; a `Date` is shown in the time zone of its file. */
export type Cell = string | number | Date | null;

/** A table, its heading first. */
export type Rows = AsyncIterable<readonly Cell[]>;

const OFFSET = /^[+-]\d\d:\d\d$/;

/** The years that ISO 8601 writes with four digits. */
const FOUR_DIGIT_YEAR = /^\d{4}-/;

/** A time as `YYYY-MM-DD HH:mm:ss`; fractions of a second are dropped. */
export function timeText(time: Date, timeZone: string): string {
  // An offset needs no calendar of a time zone, whose use takes ten times as long.
  if (OFFSET.test(timeZone)) {
    const local = new Date(time.getTime() + getTimezoneOffset(timeZone, time)).toISOString();
    if (FOUR_DIGIT_YEAR.test(local)) return `${local.slice(0, 10)} ${local.slice(11, 19)}`;
  }
  return formatInTimeZone(time, timeZone, 'uuuu-MM-dd HH:mm:ss');
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
