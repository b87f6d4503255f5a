import { rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import {
  type Column,
  type CopyDatabase,
  type Parameter,
  type Rows,
  type Run,
  type Source,
  withParameters,
} from './database';
import { CommandError } from './errors';
import { peer } from './peer';

type DuckDB = typeof import('@duckdb/node-api');

/** How long others may have the file open, in milliseconds. */
const MAX_WAIT_MS = 60_000;
const TRY_AGAIN_MS = 100;

/** A DuckDB file, which is open only while something is read or written: others can read it between. */
export class DuckdbDatabase implements CopyDatabase {
  readonly json = 'json';
  readonly hasIndexes = false;
  readonly rowsAtOnce = 5_000;

  private constructor(
    private readonly duckdb: DuckDB,
    private readonly file: string,
  ) {}

  static async open(file: string): Promise<DuckdbDatabase> {
    return new DuckdbDatabase(await peer<DuckDB>('@duckdb/node-api', `--to ${file}`), file);
  }

  isoTime(column: string): string {
    return `strftime(${column} AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')`;
  }

  xorOfDigests(column: string): string {
    return `printf('%016x', bit_xor(('0x' || ${column})::ubigint))`;
  }

  createFunction(name: string, parameters: readonly Parameter[], _: readonly Column[], body: string): string {
    const nameOf = (parameter: Parameter) => parameter.macroName ?? parameter.name;
    return `CREATE OR REPLACE MACRO ${name}(${parameters.map(nameOf).join(', ')}) AS TABLE
      ${withParameters(body, parameters, nameOf)}`;
  }

  functionForComment(name: string): string {
    return `MACRO TABLE ${name}`;
  }

  async transaction<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
    const instance = await this.opened();
    const connection = await instance.connect();
    try {
      await connection.run('BEGIN');
      const result = await work(runOf(connection));
      // What fails before is rolled back when the file is closed.
      await connection.run('COMMIT');
      return result;
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }

  async source(run: Run, columns: readonly Column[], rows: readonly (readonly unknown[])[]): Promise<Source> {
    const structure = [Object.fromEntries(columns.map(({ name, type }) => [name.replaceAll('"', ''), type]))];
    const objects = rows.map(
      (row) => `{${columns.map(({ name, type }, place) => member(name, type, row[place])).join()}}`,
    );
    await run(
      `CREATE OR REPLACE TEMP TABLE batch AS
       SELECT unnest(from_json($1, '${JSON.stringify(structure)}'), recursive := true)`,
      [`[${objects.join()}]`],
    );
    const table = { sql: 'batch', values: [] };
    return { ...table, light: table };
  }

  async *read(sql: string): AsyncGenerator<Rows> {
    const instance = await this.opened();
    const connection = await instance.connect();
    try {
      const result = await connection.stream(sql);
      for await (const rows of result.yieldRowObjectJson()) yield rows as Rows;
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }

  /** Deleted rows stay in a file until others need their place: it is written anew. */
  compact = async (): Promise<void> => {
    const copy = `${this.file}.compact`;
    await rm(copy, { force: true });
    const old = await this.opened();
    const connection = await old.connect();
    try {
      const [row] = (await connection.runAndReadAll('SELECT current_database() AS name')).getRowObjectsJson();
      await connection.run(`ATTACH '${copy.replaceAll("'", "''")}' AS compacted`);
      await connection.run(`COPY FROM DATABASE "${row!.name as string}" TO compacted`);
      await connection.run('DETACH compacted');
      await rename(copy, this.file);
    } finally {
      connection.closeSync();
      old.closeSync();
    }
  };

  async close(): Promise<void> {
    // It is closed already.
  }

  /** @throws CommandError if others have it open for too long */
  private async opened(): Promise<DuckDBInstance> {
    const until = performance.now() + MAX_WAIT_MS;
    for (;;) {
      try {
        return await this.duckdb.DuckDBInstance.create(this.file);
      } catch (error) {
        const { message } = error as Error;
        if (!/lock on file/i.test(message)) throw new CommandError(`${this.file}: ${message.split('\n')[0]}`);
        if (performance.now() > until)
          throw new CommandError(`${this.file} is open in another program: close it there`);
      }
      await sleep(TRY_AGAIN_MS);
    }
  }
}

function runOf(connection: DuckDBConnection): Run {
  return async (sql, values) => {
    const result = await connection.runAndReadAll(sql, values as DuckDBValue[]);
    return result.getRowObjectsJson() as Rows;
  };
}

/** A member of an object; JSON stays as it is. */
function member(name: string, type: string, value: unknown): string {
  const text = type === 'json' && typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return `${JSON.stringify(name.replaceAll('"', ''))}:${text}`;
}
