/** 64-bit integers are texts. */
export type ResultRows = Record<string, string | number | boolean | null>[];

/** Runs one statement of a transaction. */
export type Run = (sql: string, values?: readonly unknown[]) => Promise<ResultRows>;

export interface SqlColumn {
  readonly name: string;
  /** SQL type; `json` means the database's type for JSON. */
  readonly type: string;
}

/** Fills the transaction's temporary table `batch`. */
export type Stage = (columns: readonly SqlColumn[], rows: readonly (readonly unknown[])[]) => Promise<void>;

/** @returns the statement that creates or replaces a function that returns a table */
export type CreateFunction = (
  name: string,
  parameters: readonly SqlColumn[],
  columns: readonly SqlColumn[],
  body: string,
) => string;

/** The differences between the two databases. */
export interface CopyDatabase {
  /** The type for JSON. */
  readonly json: string;
  /** Without indexes the database scans. */
  readonly hasIndexes: boolean;
  /** The XOR of digests of 16 hexadecimal digits. */
  readonly xorOfDigests: (column: string) => string;
  readonly createFunction: CreateFunction;
  /** What a comment statement calls such a function. */
  readonly functionKind: string;
  /**
   * Commits all or nothing.
   * @param isFirst serialises starts
   */
  transaction<Result>(work: (run: Run, stage: Stage) => Promise<Result>, isFirst?: boolean): Promise<Result>;
  /** Reads one snapshot, with some thousands of rows in memory. */
  read(sql: string): AsyncGenerator<ResultRows>;
  /** Removes what deleted rows leave behind. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

export function names(columns: readonly { readonly name: string }[]): string {
  return columns.map(({ name }) => name).join(', ');
}

export function typed(columns: readonly SqlColumn[]): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}

/** The message is one line with the reason. */
export class CommandError extends Error {}

/** The command line is wrong. */
export class UsageError extends Error {}

/**
 * Loads an optional package.
 * @throws CommandError if it is not installed
 */
export async function peer<Module>(name: string, neededFor: string): Promise<Module> {
  try {
    const imported = (await import(name)) as Module & { readonly default?: Module };
    return imported.default ?? imported;
  } catch (error) {
    if (!/NOT_FOUND/.test((error as { code?: string }).code ?? '')) throw error;
    throw new CommandError(`${neededFor} needs the package ${name}: npm install ${name}`);
  }
}
