import { isCalendarDate } from '@cxp/service-kit';

const INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-5]):?[0-5]\d)$/;
const WALL_TIME = /^(?:([01]\d|2[0-3]):[0-5]\d|24:00)$/;

const UUID = /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** What a text of each format looks like at least, for validators that do not know our formats, or know them as RFC 3339 has them. */
export const FORMAT_PATTERNS: Readonly<Record<string, string>> = {
  'date-time': INSTANT.source,
  date: String.raw`^\d{4}-\d{2}-\d{2}$`,
  'wall-time': WALL_TIME.source,
  uuid: UUID.source,
};

/** The years of PostgreSQL's and JavaScript's times that both write with four digits, in UTC. */
const [FIRST_YEAR, LAST_YEAR] = ['0001', '9999'];
const EARLIEST = Date.parse(`${FIRST_YEAR}-01-01T00:00:00.000Z`);
const LATEST = Date.parse(`${LAST_YEAR}-12-31T23:59:59.999Z`);

/** What PostgreSQL rounds to milliseconds or microseconds, and `Date.parse` cuts off. */
const PAST_MILLISECOND = /\.\d{3}\d*[1-9]/;

const LAST_DAY_OF_EVERY_MONTH = '28';

/**
 * ISO 8601 with an offset: `2026-01-05T02:11:09.000Z`, `2026-01-05T09:11:09+07:00`. In UTC its year has to be within 1
 * and 9999 as well: an offset can lead out of them, and so can the rounding of what is past the last millisecond.
 */
export function isInstant(text: string): boolean {
  if (!INSTANT.test(text)) return false;
  const [year, day] = [text.slice(0, 4), text.slice(8, 10)];
  // Only the last days of a month need a calendar, and only the first and last year a bound.
  if (day > LAST_DAY_OF_EVERY_MONTH && !isCalendarDate(text.slice(0, 10))) return false;
  if (year > FIRST_YEAR && year < LAST_YEAR) return true;
  const time = Date.parse(text);
  const isPastLatest = time > LATEST || (time === LATEST && PAST_MILLISECOND.test(text));
  return year >= FIRST_YEAR && time >= EARLIEST && !isPastLatest;
}

/** `HH:mm`, `24:00` included. */
export function isWallTime(text: string): boolean {
  return WALL_TIME.test(text);
}

export function isUuid(text: string): boolean {
  return UUID.test(text);
}
