/** A statement's rows; whole numbers of 64 bits are texts. */
export type Rows = Record<string, string | number | boolean | null>[];

/** Runs one statement of a transaction. */
export type Run = (sql: string, values?: readonly unknown[]) => Promise<Rows>;

export interface Column {
  readonly name: string;
  /** Of SQL; `json` is the type for JSON that the database has. */
  readonly type: string;
}

/** Puts rows into the table `batch`, which the transaction makes and which ends with it. */
export type Stage = (columns: readonly Column[], rows: readonly (readonly unknown[])[]) => Promise<void>;

/** A database that keeps copies. What its SQL has in other words than the other one is here. */
export interface CopyDatabase {
  /** The type for JSON. */
  readonly json: string;
  /** Whether an index finds rows. Else a scan does, in milliseconds. */
  readonly hasIndexes: boolean;
  /** SQL: the XOR of digests of 16 hexadecimal digits. */
  readonly xorOfDigests: (column: string) => string;
  /** SQL that makes a function which answers a table, or replaces it. */
  readonly createFunction: (
    name: string,
    parameters: readonly Column[],
    columns: readonly Column[],
    body: string,
  ) => string;
  /** SQL: what a comment on such a function is about. */
  readonly functionForComment: (name: string, parameters: readonly Column[]) => string;
  /** Both or none of what the work writes. `isFirst`: of a start, one at a time. */
  transaction<Result>(work: (run: Run, stage: Stage) => Promise<Result>, isFirst?: boolean): Promise<Result>;
  /** The rows of one snapshot, some thousands in memory at once. */
  read(sql: string): AsyncGenerator<Rows>;
  /** Leaves nothing of rows that were deleted, or undefined: the database does so by itself. */
  readonly compact?: () => Promise<void>;
  close(): Promise<void>;
}

export function names(columns: readonly { readonly name: string }[]): string {
  return columns.map(({ name }) => name).join(', ');
}

export function typed(columns: readonly Column[]): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}
