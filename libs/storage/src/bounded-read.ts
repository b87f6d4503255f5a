/** In bytes: a read that is held in memory whole ends after the row that reaches this, however many rows were asked for. */
export const MAX_READ_BYTES = 4 * 1_024 * 1_024;

/**
 * SQL: how many bytes the rows before a row have, for a query that reads no further than a bound.
 * @param bytes SQL: how many bytes a row has
 * @param order SQL: the order of the rows
 */
export function precedingBytes(bytes: string, order: string): string {
  return `coalesce(
    sum(${bytes}) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0
  )`;
}
