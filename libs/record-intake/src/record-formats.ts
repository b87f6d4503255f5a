import { isCalendarDate } from '@cxp/service-kit';

const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](\d{2}):?(\d{2}))$/;
const WALL_TIME = /^(?:([01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** The years of PostgreSQL's and JavaScript's times that both write with four digits, in UTC. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * ISO 8601 with an offset: `2026-01-05T02:11:09.000Z`, `2026-01-05T09:11:09+07:00`. In UTC its year has to be within 1
 * and 9999 as well: an offset can lead out of them.
 */
export function isInstant(text: string): boolean {
  const [, date, hour, minute, second, offsetHour, offsetMinute] = INSTANT.exec(text) ?? [];
  return (
    date !== undefined &&
    isCalendarDate(date) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second ?? 0) < 60 &&
    Number(offsetHour ?? 0) < 16 &&
    Number(offsetMinute ?? 0) < 60 &&
    Date.parse(text) >= EARLIEST &&
    Date.parse(text) <= LATEST
  );
}

/** `HH:mm`, `24:00` included. */
export function isWallTime(text: string): boolean {
  return WALL_TIME.test(text);
}
