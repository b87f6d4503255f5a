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

/** One state of the database. */
export interface Snapshot {
  readonly run: Run;
  /** Some thousands of rows are in memory at once. One stream is read at a time. */
  readonly stream: (sql: string, visit: (row: ResultRows[number]) => void) => Promise<void>;
}

/** What the databases write JSON differently for. `as` names an item of FROM. */
export interface JsonSql {
  /** The members of an object: `key`, `value`; none of anything else. */
  readonly members: (json: string, as: string) => string;
  /** The elements of an array: `value`; none of anything else. */
  readonly elements: (json: string, as: string) => string;
  readonly isString: (json: string) => string;
  /** A text or number as text. */
  readonly text: (json: string) => string;
}

/** @returns the statement that creates or replaces a function that returns a table */
export type CreateFunction = (
  name: string,
  parameters: readonly SqlColumn[],
  columns: readonly SqlColumn[],
  body: string,
) => string;

/** The differences between the two databases. */
export interface CopyDatabase {
  /** The name of the schema that the copy is in. */
  readonly schema: string;
  /** The type for JSON. */
  readonly json: string;
  /** Without indexes the database scans. */
  readonly hasIndexes: boolean;
  readonly jsonSql: JsonSql;
  readonly createFunction: CreateFunction;
  /** What a comment statement calls such a function. */
  readonly functionKind: string;
  /**
   * Commits all or nothing.
   * @param isFirst serialises starts
   */
  transaction<Result>(work: (run: Run, stage: Stage) => Promise<Result>, isFirst?: boolean): Promise<Result>;
  /** Reads one state, whatever others write meanwhile. */
  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result>;
  /** Removes what deleted rows leave behind. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/** A table or view of the copy, qualified, so that no search path matters. */
export function qualified({ schema }: CopyDatabase, name: string): string {
  return `"${schema}".${name}`;
}

export function names(columns: readonly { readonly name: string }[]): string {
  return columns.map(({ name }) => name).join(', ');
}

export function typed(columns: readonly SqlColumn[]): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}

/** A number: databases write times as text in many forms. */
export function milliseconds(time: string): string {
  return `CAST(round(extract(epoch FROM ${time}) * 1000) AS bigint)`;
}

/** The message is one line with the reason. */
export class CommandError extends Error {}

/** The file is open elsewhere, or the database does not answer: it may come back by itself. */
export class AwayError extends CommandError {
  constructor(
    readonly what: 'the file' | 'the database',
    message: string,
  ) {
    super(message);
  }
}

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
