import { isCalendarDate } from '@cxp/service-kit';

const INSTANT = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-](\d{2}):?(\d{2}))$/;
const WALL_TIME = /^(?:([01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** ISO 8601 with an offset: `2026-01-05T02:11:09.000Z`, `2026-01-05T09:11:09+07:00`. */
export function isInstant(text: string): boolean {
  const [, date, hour, minute, second, offsetHour, offsetMinute] = INSTANT.exec(text) ?? [];
  return (
    date !== undefined &&
    isCalendarDate(date) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second ?? 0) < 60 &&
    Number(offsetHour ?? 0) < 16 &&
    Number(offsetMinute ?? 0) < 60
  );
}

/** `HH:mm`, `24:00` included. */
export function isWallTime(text: string): boolean {
  return WALL_TIME.test(text);
}
