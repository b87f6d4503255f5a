/** What a cell holds; `null` is a missing value, an empty cell. */
export type Cell = string | number | null;

/** Between the items of a list in one cell. */
const LIST_SEPARATOR = '|';

const UTC_OFFSET_MS = 7 * 3_600_000;

/** A time in UTC+7 as `YYYY-MM-DD HH:mm:ss`. */
export function timeCell(time: Date | null): Cell {
  if (!time) return null;
  return new Date(time.getTime() + UTC_OFFSET_MS).toISOString().replace('T', ' ').slice(0, -'.000Z'.length);
}

/** Whatever a record may carry, in one cell: lists joined, objects as JSON. */
export function valueCell(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return Array.isArray(value) ? listCell(value) : JSON.stringify(value);
}

/** A list in one cell; an empty list is a missing value. */
export function listCell(items: readonly unknown[]): Cell {
  if (items.length === 0) return null;
  return items.map((item) => valueCell(item) ?? '').join(LIST_SEPARATOR);
}
