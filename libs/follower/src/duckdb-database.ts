import { rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import {
  CommandError,
  type CopyDatabase,
  type CreateFunction,
  names,
  peer,
  type ResultRows,
  type Run,
  type Stage,
  typed,
} from './database';

type DuckDB = typeof import('@duckdb/node-api');

const PACKAGE = '@duckdb/node-api';
/** It has MERGE. */
const OLDEST = 'v1.4';

/** Milliseconds that others may have the file open. */
const MAX_WAIT_MS = 60_000;
const TRY_AGAIN_MS = 100;

/** The file is open only during reads and writes, so that others can read it between. */
export class DuckdbDatabase implements CopyDatabase {
  readonly json = 'json';
  readonly hasIndexes = false;
  readonly functionKind = 'MACRO TABLE';
  readonly xorOfDigests = (column: string) => `printf('%016x', bit_xor(('0x' || ${column})::ubigint))`;
  readonly createFunction: CreateFunction = (name, parameters, _, body) =>
    `CREATE OR REPLACE MACRO ${name}(${names(parameters)}) AS TABLE ${body}`;

  private constructor(
    private readonly duckdb: DuckDB,
    private readonly file: string,
  ) {}

  static async open(file: string): Promise<DuckdbDatabase> {
    const duckdb = await peer<DuckDB>(PACKAGE, `--to ${file}`);
    // Its versions end in `-r.1`: the peer range can't be other than `*`.
    if (duckdb.version().localeCompare(OLDEST, undefined, { numeric: true }) < 0)
      throw new CommandError(`--to ${file} needs ${OLDEST} or newer: npm install ${PACKAGE}`);
    return new DuckdbDatabase(duckdb, file);
  }

  transaction<Result>(work: (run: Run, stage: Stage) => Promise<Result>): Promise<Result> {
    return this.connected(async (connection) => {
      await connection.run('BEGIN');
      const result = await work(runOf(connection), stageOf(connection));
      // Closing the file rolls back a failed transaction.
      await connection.run('COMMIT');
      return result;
    });
  }

  async *read(sql: string): AsyncGenerator<ResultRows> {
    const instance = await this.opened();
    const duckdb = await instance.connect();
    try {
      const result = await duckdb.stream(sql);
      for await (const rows of result.yieldRowObjectJson()) yield rows as ResultRows;
    } finally {
      duckdb.closeSync();
      instance.closeSync();
    }
  }

  /** Rewrites the file: deleted rows stay in it until others need their place. */
  async compact(): Promise<void> {
    const copy = `${this.file}.compact`;
    await rm(copy, { force: true });
    await this.connected(async (connection) => {
      const [row] = await runOf(connection)('SELECT current_database() AS name');
      await connection.run(`ATTACH '${copy.replaceAll("'", "''")}' AS compacted`);
      await connection.run(`COPY FROM DATABASE "${row!.name as string}" TO compacted`);
      await connection.run('DETACH compacted');
      await rename(copy, this.file);
    });
  }

  async close(): Promise<void> {
    // It is closed already.
  }

  private async connected<Result>(work: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
    const instance = await this.opened();
    const connection = await instance.connect();
    try {
      return await work(connection);
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
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
    return result.getRowObjectsJson() as ResultRows;
  };
}

function stageOf(connection: DuckDBConnection): Stage {
  return async (columns, rows) => {
    await connection.run(`CREATE TEMP TABLE batch (${typed(columns)})`);
    const appender = await connection.createAppender('batch', null, 'temp');
    for (const row of rows) {
      for (const value of row) {
        if (value === null) appender.appendNull();
        else if (typeof value === 'number') appender.appendBigInt(BigInt(value));
        else appender.appendVarchar(value as string);
      }
      appender.endRow();
    }
    appender.closeSync();
  };
}
