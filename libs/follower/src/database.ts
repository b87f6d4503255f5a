/** A statement's rows; whole numbers of 64 bits are texts. */
export type Rows = Record<string, string | number | boolean | null>[];

/** Runs one statement of a transaction. */
export type Run = (sql: string, values?: readonly unknown[]) => Promise<Rows>;

/** A column that is written. */
export interface Column {
  readonly name: string;
  /** Of SQL; `json` is the type for JSON that the database has. */
  readonly type: string;
}

/** A parameter of a function. */
export interface Parameter extends Column {
  /** Its name in DuckDB, if a column that the function reads has the other one. */
  readonly macroName?: string;
}

/** Rows that a statement reads as a table. */
export interface Source {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** The same without the last column, which is large. */
  readonly light: Pick<Source, 'sql' | 'values'>;
}

/** A database that keeps copies. What its SQL has in other words than the other one is here. */
export interface CopyDatabase {
  /** The type for JSON. */
  readonly json: string;
  /** How many rows are worth a transaction. */
  readonly rowsAtOnce: number;
  /** Whether an index finds rows. Else a scan does, in milliseconds. */
  readonly hasIndexes: boolean;
  /** SQL: a time as the API writes it. */
  readonly isoTime: (column: string) => string;
  /** SQL: the XOR of digests of 16 hexadecimal digits. */
  readonly xorOfDigests: (column: string) => string;
  /** SQL that makes a function which answers a table, or replaces it. `:name` in its body is a parameter. */
  readonly createFunction: (
    name: string,
    parameters: readonly Parameter[],
    columns: readonly Column[],
    body: string,
  ) => string;
  /** SQL: what a comment on such a function is about. */
  readonly functionForComment: (name: string, parameters: readonly Parameter[]) => string;
  /** Both or none of what the work writes. `isFirst`: of a start, one at a time. */
  transaction<Result>(work: (run: Run) => Promise<Result>, isFirst?: boolean): Promise<Result>;
  /** Lets statements of the transaction read values of columns as a table. */
  source(run: Run, columns: readonly Column[], rows: readonly (readonly unknown[])[]): Promise<Source>;
  /** The rows of one snapshot, some thousands in memory at once. */
  read(sql: string): AsyncGenerator<Rows>;
  /** Leaves nothing of rows that were deleted, or undefined: the database does so by itself. */
  readonly compact?: () => Promise<void>;
  close(): Promise<void>;
}

/** `:name` as the database writes the parameters of functions. */
export function withParameters(
  body: string,
  parameters: readonly Parameter[],
  write: (parameter: Parameter) => string,
): string {
  return parameters.reduce(
    (sql, parameter) => sql.replaceAll(new RegExp(`(?<!:):${parameter.name}\\b`, 'g'), write(parameter)),
    body,
  );
}
