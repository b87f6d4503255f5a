import { escapeLiteral, type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { EntityManager } from 'typeorm';
import { inTransaction } from './transaction';

/** A column of a `CopyStatement`: its SQL, and how its bytes are read. */
export interface CopyColumn<Value> {
  readonly sql: string;
  readonly read: (bytes: Buffer, start: number, end: number) => Value;
}

export type CopyColumns = Readonly<Record<string, CopyColumn<unknown>>>;

/** The row that columns make up. */
export type CopiedRow<Columns extends CopyColumns> = {
  readonly [Name in keyof Columns]: Columns[Name] extends CopyColumn<infer Value> ? Value : never;
};

/** SQL of type `float8`. */
export function numberColumn<Value extends number | null = number>(sql: string): CopyColumn<Value> {
  return { sql, read: (bytes, start) => bytes.readDoubleBE(start) as Value };
}

/** SQL of type `boolean`. */
export function booleanColumn(sql: string): CopyColumn<boolean> {
  return { sql, read: (bytes, start) => bytes[start] === 1 };
}

/** SQL of type `text`. */
export function textColumn<Value extends string | null = string>(sql: string): CopyColumn<Value> {
  return { sql, read: (bytes, start, end) => bytes.toString('utf8', start, end) as Value };
}

/** SQL of type `text`, as its bytes in UTF-8: for what is copied to an answer as it is. */
export function bytesColumn(sql: string): CopyColumn<Buffer> {
  return { sql, read: (bytes, start, end) => bytes.subarray(start, end) };
}

/** SQL: columns as the list of a SELECT, each with its name. */
export function selectList(columns: CopyColumns): string {
  return Object.entries(columns)
    .map(([name, { sql }]) => `${sql} AS "${name}"`)
    .join(', ');
}

type SqlValue = string | number | null | undefined | readonly (string | number)[];

/**
 * PostgreSQL expects few rows of any organization, and would read and sort all that follow to find the first ones. Up to version 17 it
 * adds ten billion to the cost of a sort that it can't avoid, and would compile the statement for that cost, which takes half a second.
 */
const IN_INDEX_ORDER =
  'SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off; SET LOCAL jit = off';

/**
 * A query whose rows are read by `COPY … TO STDOUT` in PostgreSQL's binary format: for many large rows, of which neither PostgreSQL
 * nor this process has to write and parse texts. A statement of `COPY` has no parameters, so it is planned for each run, with its
 * values as literals.
 */
export class CopyStatement<Row extends object> {
  private readonly columns: readonly (readonly [name: string, read: CopyColumn<unknown>['read']])[];

  /**
   * @param columns of the rows, in the order of the query
   * @param text SQL with `$1` for values, and a cast where their type does not follow from where they stand
   * @param options `inIndexOrder`: whether an index has the rows in the order of the query, which therefore must not sort
   */
  constructor(
    columns: CopyColumns,
    private readonly text: string,
    private readonly options: { readonly inIndexOrder: boolean },
  ) {
    this.columns = Object.entries(columns).map(([name, { read }]) => [name, read]);
  }

  /** Runs in a transaction of its own. */
  async run(manager: EntityManager, values: readonly SqlValue[]): Promise<Row[]> {
    const query = this.text.replaceAll(/\$(\d+)/g, (_, place: string) => literal(values[Number(place) - 1]));
    const opening = this.options.inIndexOrder ? [IN_INDEX_ORDER] : [];
    return inTransaction(manager.dataSource, opening, async ({ queryRunner }) => {
      const client = (await queryRunner!.connect()) as PoolClient;
      const chunks: Buffer[] = [];
      for await (const chunk of client.query(copyTo(`COPY (${query}) TO STDOUT (FORMAT binary)`))) {
        chunks.push(chunk as Buffer);
      }
      return this.rowsOf(Buffer.concat(chunks));
    });
  }

  /** https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format" */
  private rowsOf(bytes: Buffer): Row[] {
    const rows: Row[] = [];
    let at = HEADER_BYTES + bytes.readInt32BE(HEADER_BYTES - 4);
    while (bytes.readInt16BE(at) !== NO_MORE_ROWS) {
      const row: Record<string, unknown> = {};
      at += 2;
      for (const [name, read] of this.columns) {
        const length = bytes.readInt32BE(at);
        at += 4;
        row[name] = length === NULL ? null : read(bytes, at, at + length);
        if (length !== NULL) at += length;
      }
      rows.push(row as Row);
    }
    return rows;
  }
}

/** A signature of 11 bytes, 4 bytes of flags, and the length of an extension. */
const HEADER_BYTES = 19;
const NO_MORE_ROWS = -1;
const NULL = -1;

function literal(value: SqlValue): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'object') return `ARRAY[${value.map(literal).join(', ')}]`;
  return escapeLiteral(String(value));
}
