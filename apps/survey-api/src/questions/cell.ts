import type { Cell } from '@cxp/spreadsheet';

/** Separates the items of a list in one cell. */
const LIST_SEPARATOR = '|';

/** Any JSON value of a record in one cell: lists are joined, objects are JSON. */
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
