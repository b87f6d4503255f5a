import { isCalendarDate } from '@cxp/service-kit';

const INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,12})?)?(?:Z|[+-](?:0\d|1[0-5]):?[0-5]\d)$/;
const WALL_TIME = /^(?:([01]\d|2[0-3]):[0-5]\d|24:00)$/;

const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** The least form of each format, for validators that don't know our formats or follow RFC 3339. */
export const FORMAT_PATTERNS: Readonly<Record<string, string>> = {
  'date-time': INSTANT.source,
  date: String.raw`^\d{4}-\d{2}-\d{2}$`,
  'wall-time': WALL_TIME.source,
  uuid: UUID.source,
};

/** PostgreSQL and JavaScript both write these years with four digits, in UTC. */
const [FIRST_YEAR, LAST_YEAR] = ['0001', '9999'];
const EARLIEST = Date.parse(`${FIRST_YEAR}-01-01T00:00:00.000Z`);
const LATEST = Date.parse(`${LAST_YEAR}-12-31T23:59:59.999Z`);

const LAST_DAY_OF_EVERY_MONTH = '28';

/**
 * ISO 8601 with an offset: `2026-01-05T02:11:09.000Z`, `2026-01-05T09:11:09+07:00`. The year in UTC has to be within 1 and
 * 9999, too.
 */
export function isInstant(text: string): boolean {
  if (!INSTANT.test(text)) return false;
  const [year, day] = [text.slice(0, 4), text.slice(8, 10)];
  // Only the last days of a month need a calendar, and only the first and last year a bound.
  if (day > LAST_DAY_OF_EVERY_MONTH && !isCalendarDate(text.slice(0, 10))) return false;
  if (year > FIRST_YEAR && year < LAST_YEAR) return true;
  const time = Date.parse(text);
  return year >= FIRST_YEAR && time >= EARLIEST && time <= LATEST;
}

/** `Date.parse` misreads more than nine digits that begin with zeros, so microseconds are read apart. */
function partsOf(text: string): { readonly milliseconds: number; readonly microseconds: string } {
  const [, milliseconds = '', microseconds = ''] = /(\.\d{3})(\d{1,3})\d*/.exec(text) ?? [];
  const short = microseconds ? text.replace(/\.\d+/, milliseconds) : text;
  return { milliseconds: Date.parse(short), microseconds: microseconds.padEnd(3, '0') };
}

/** UTC with microseconds, finer digits cut off: `2026-01-05T02:11:09.000000Z`. These texts sort by time. */
export function utcTime(text: string): string {
  const { milliseconds, microseconds } = partsOf(text);
  return `${new Date(milliseconds).toISOString().slice(0, -1)}${microseconds}Z`;
}

/** Milliseconds since 1970, with microseconds as the fraction. From the year 2255 on a double can't hold all of them. */
export function instantOf(text: string): number {
  const { milliseconds, microseconds } = partsOf(text);
  const instant = milliseconds + Number(microseconds) / 1_000;
  const isRoundedUp = instant === milliseconds + 1;
  return isRoundedUp ? instant - 2 ** (Math.floor(Math.log2(Math.abs(milliseconds))) - 52) : instant;
}

/** `HH:mm`, `24:00` included. */
export function isWallTime(text: string): boolean {
  return WALL_TIME.test(text);
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
