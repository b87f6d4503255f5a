import { rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue, DuckDBValueConverter } from '@duckdb/node-api';
import {
  AwayError,
  CommandError,
  type CopyDatabase,
  type CreateFunction,
  type JsonSql,
  names,
  peer,
  type ResultRows,
  type Run,
  type Snapshot,
  type Stage,
  typed,
  UsageError,
} from './database';
import { DEFAULT_SCHEMA } from './postgres';

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
  readonly jsonSql: JsonSql = {
    members: (json, as) => `json_each(CASE WHEN json_type(${json}) = 'OBJECT' THEN ${json} END) AS ${as}`,
    elements: (json, as) => `json_each(CASE WHEN json_type(${json}) = 'ARRAY' THEN ${json} END) AS ${as}`,
    isString: (json) => `json_type(${json}) = 'VARCHAR'`,
    text: (json) => `${json}->>'$'`,
  };
  readonly createFunction: CreateFunction = (name, parameters, _, body) =>
    `CREATE OR REPLACE MACRO ${name}(${names(parameters)}) AS TABLE ${body}`;

  private constructor(
    private readonly duckdb: DuckDB,
    private readonly file: string,
    readonly schema: string,
    private readonly maxWaitMs: number,
  ) {}

  /** @param maxWaitMs for a file that another program has open */
  static async open(file: string, schema = DEFAULT_SCHEMA, maxWaitMs = MAX_WAIT_MS): Promise<DuckdbDatabase> {
    if (basename(file, '.duckdb').toLowerCase() === schema)
      throw new UsageError(
        `DuckDB calls the file ${file} ${schema}, too: give another --schema, or rename it`,
      );
    const duckdb = await peer<DuckDB>(PACKAGE, `--to ${file}`);
    // Its versions end in `-r.1`: the peer range can't be other than `*`.
    if (duckdb.version().localeCompare(OLDEST, undefined, { numeric: true }) < 0)
      throw new CommandError(`--to ${file} needs ${OLDEST} or newer: npm install ${PACKAGE}`);
    return new DuckdbDatabase(duckdb, file, schema, maxWaitMs);
  }

  transaction<Result>(work: (run: Run, stage: Stage) => Promise<Result>): Promise<Result> {
    return this.within((connection) => work(runIn(connection), stageIn(connection)));
  }

  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    return this.within((connection) =>
      work({ run: runIn(connection), stream: streamIn(connection, this.duckdb) }),
    );
  }

  /** Rewrites the file: deleted rows stay in it until others need their place. */
  async compact(): Promise<void> {
    const copy = `${this.file}.compact`;
    await rm(copy, { force: true });
    await this.connected(async (connection) => {
      const [row] = await runIn(connection)('SELECT current_database() AS name');
      await connection.run(`ATTACH '${copy.replaceAll("'", "''")}' AS compacted`);
      await connection.run(`COPY FROM DATABASE "${row!.name as string}" TO compacted`);
      await connection.run('DETACH compacted');
      await rename(copy, this.file);
    });
  }

  async close(): Promise<void> {
    // It is closed already.
  }

  private within<Result>(work: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
    return this.connected(async (connection) => {
      await connection.run('BEGIN');
      const result = await work(connection);
      // Closing the file rolls back a failed transaction.
      await connection.run('COMMIT');
      return result;
    });
  }

  /** @throws AwayError if its disk is full: the file is as before, and opens again */
  private async connected<Result>(work: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
    const instance = await this.opened();
    const connection = await instance.connect();
    try {
      return await work(connection);
    } catch (error) {
      const [message] = (error as Error).message.split('\n');
      if (/no space left on device/i.test(message!)) throw new AwayError('the file', message!);
      throw error;
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  }

  /** @throws AwayError if others have it open for too long */
  private async opened(): Promise<DuckDBInstance> {
    const until = performance.now() + this.maxWaitMs;
    for (;;) {
      try {
        return await this.duckdb.DuckDBInstance.create(this.file);
      } catch (error) {
        const { message } = error as Error;
        if (!/lock on file/i.test(message)) throw new CommandError(`${this.file}: ${message.split('\n')[0]}`);
        if (performance.now() > until)
          throw new AwayError('the file', `${this.file} is open in another program: close it there`);
      }
      await sleep(TRY_AGAIN_MS);
    }
  }
}

function runIn(connection: DuckDBConnection): Run {
  return async (sql, values) => {
    const result = await connection.runAndReadAll(sql, values as DuckDBValue[]);
    return result.getRowObjectsJson() as ResultRows;
  };
}

function streamIn(
  connection: DuckDBConnection,
  { DuckDBBlobValue, JsonDuckDBValueConverter }: DuckDB,
): Snapshot['stream'] {
  const converter: DuckDBValueConverter<unknown> = (value, type) =>
    value instanceof DuckDBBlobValue
      ? value.bytes
      : JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter);
  return async (sql, visit) => {
    // A chunk keeps its texts, thousands of rows, until its end; bytes become a text when they are visited.
    const result = await connection.stream(
      `SELECT * REPLACE (encode(CAST("row" AS text)) AS "row") FROM (${sql})`,
    );
    const columns = result.deduplicatedColumnNames();
    // Releases before 1.4.1 have no iterator.
    for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
      const values = chunk.convertColumns(converter) as ResultRows[number][string][][];
      for (let place = 0; place < values[0]!.length; place += 1) {
        const row: ResultRows[number] = {};
        for (let column = 0; column < columns.length; column += 1)
          row[columns[column]!] = values[column]![place]!;
        visit(row);
      }
    }
  };
}

function stageIn(connection: DuckDBConnection): Stage {
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
