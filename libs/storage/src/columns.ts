/** A column of a statement's rows. */
export interface Column<Value> {
  /** SQL, of the type that the column is read as. */
  readonly sql: string;
  /** Reads the value from PostgreSQL's binary format; pg reads its text format by the type of the SQL. */
  readonly read: (bytes: Buffer, start: number, end: number) => Value;
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** The row that columns make up. */
export type RowOf<RowColumns extends Columns> = {
  readonly [Name in keyof RowColumns]: RowColumns[Name] extends Column<infer Value> ? Value : never;
};

/** A number of any type of PostgreSQL, as one of JavaScript: exact up to 2⁵³. */
export function numberColumn<Value extends number = number>(sql: string): Column<Value> {
  return { sql: `(${sql})::float8`, read: (bytes, start) => bytes.readDoubleBE(start) as Value };
}

export function booleanColumn(sql: string): Column<boolean> {
  return { sql, read: (bytes, start) => bytes[start] === 1 };
}

/** The text of a value of any type; of a `bigint` or `numeric` whose digits matter, too. */
export function textColumn<Value extends string = string>(sql: string): Column<Value> {
  return { sql: `(${sql})::text`, read: (bytes, start, end) => bytes.toString('utf8', start, end) as Value };
}

/** SQL of type `json` or `jsonb`. @typeParam Value what is stored there; it is not checked */
export function jsonColumn<Value>(sql: string): Column<Value> {
  return {
    sql: `(${sql})::json`,
    read: (bytes, start, end) => JSON.parse(bytes.toString('utf8', start, end)) as Value,
  };
}

/** SQL of type `timestamptz`. */
export function timeColumn(sql: string): Column<Date> {
  return { sql, read: (bytes, start) => new Date(EPOCH_2000 + Number(bytes.readBigInt64BE(start) / 1_000n)) };
}

/** SQL of type `bytea`. */
export function byteaColumn(sql: string): Column<Buffer> {
  return { sql, read: (bytes, start, end) => bytes.subarray(start, end) };
}

/** A text of a copied statement as its bytes in UTF-8: for what is copied to an answer as it is. */
export function utf8Column(sql: string): Column<Buffer> {
  return { sql: `(${sql})::text`, read: (bytes, start, end) => bytes.subarray(start, end) };
}

/** A list of values of PostgreSQL's type `text[]`; not of a copied statement. */
export function textsColumn(sql: string): Column<string[]> {
  return { sql: `(${sql})::text[]`, read: notCopied };
}

/** The same column where its value may be NULL. */
export function nullable<Value>(column: Column<Value>): Column<Value | null> {
  return column;
}

/** SQL: columns as the list of a SELECT, each with its name. */
export function selectList(columns: Columns): string {
  return Object.entries(columns)
    .map(([name, { sql }]) => `${sql} AS "${name}"`)
    .join(', ');
}

/** The rows of a binary copy: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format". */
export function rowsOfCopy<RowColumns extends Columns>(
  columns: RowColumns,
  bytes: Buffer,
): RowOf<RowColumns>[] {
  const readers = Object.entries(columns);
  const rows: RowOf<RowColumns>[] = [];
  let at = HEADER_BYTES + bytes.readInt32BE(HEADER_BYTES - 4);
  while (bytes.readInt16BE(at) !== NO_MORE_ROWS) {
    const row: Record<string, unknown> = {};
    at += 2;
    for (const [name, { read }] of readers) {
      const length = bytes.readInt32BE(at);
      at += 4;
      row[name] = length === NULL ? null : read(bytes, at, at + length);
      if (length !== NULL) at += length;
    }
    rows.push(row as RowOf<RowColumns>);
  }
  return rows;
}

/** A signature of 11 bytes, 4 bytes of flags, and the length of an extension. */
const HEADER_BYTES = 19;
const NO_MORE_ROWS = -1;
const NULL = -1;

/** Of 2000-01-01, from which PostgreSQL counts microseconds; in milliseconds since 1970. */
const EPOCH_2000 = Date.UTC(2000, 0, 1);

function notCopied(): never {
  throw new Error('a list is not read from a copied statement');
}
