/** In bytes: a read that is held in memory ends after the row that reaches this, however many rows were asked for. */
export const MAX_READ_BYTES = 1_024 * 1_024;

/** The same for a read of a page, of which an ordinary one is read whole. */
export const MAX_PIECE_BYTES = 256 * 1_024;

/**
 * SQL: a function `json_bytes` of a schema, for generated columns that hold how large the JSON of a row is as text. To find that out when
 * rows are read, PostgreSQL would have to read and decompress each one, those beyond the bound too.
 */
export function createJsonBytes(schema: string): string {
  return `
  CREATE FUNCTION ${schema}.json_bytes(json) RETURNS integer IMMUTABLE PARALLEL SAFE LANGUAGE sql
    RETURN coalesce(octet_length($1::text), 0);`;
}

/**
 * SQL: how many bytes the rows before a row have, for a query that reads no further than a bound. The query around it selects large columns:
 * here they would be read of each row.
 * @param bytes SQL: how many bytes a row has, by a column that says so
 * @param order SQL: the order of the rows
 */
export function precedingBytes(bytes: string, order: string): string {
  return `coalesce(
    sum(${bytes}) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0
  )`;
}

/**
 * The rows of a page, as many at a time as one read returns. Each read follows the last row of the one before, so that nothing is held
 * between two reads, neither a connection nor a snapshot.
 * @param first the rows of the first read
 * @param count how many rows the page has; it ends earlier if a read finds none
 * @param readAfter reads at most `limit` rows after a row, at least one if there is any
 */
export async function* readOn<Row>(
  first: readonly Row[],
  count: number,
  readAfter: (last: Row, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  let left = count;
  for (let rows = first; rows.length > 0;) {
    yield rows;
    left -= rows.length;
    if (left <= 0) return;
    rows = await readAfter(rows.at(-1)!, nextLimit(rows, left));
  }
}

/**
 * How many rows to ask for after a read that its bytes have ended. PostgreSQL has to look at each of them to know how large it is: of
 * those that follow, about as many fit.
 * @param left how many are wanted at most
 */
export function nextLimit(rows: readonly unknown[], left: number): number {
  return Math.min(left, 2 * rows.length);
}
