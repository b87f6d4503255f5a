import { rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type Pg from 'pg';
import type { PoolClient } from 'pg';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { InvalidArgumentError } from 'commander';
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

const ROWS_AT_ONCE = 2_000;

/** The client's own PostgreSQL. */
export class PostgresDatabase implements CopyDatabase {
  readonly json = 'jsonb';
  readonly hasIndexes = true;
  readonly functionKind = 'FUNCTION';
  readonly xorOfDigests = (column: string) =>
    `lpad(to_hex(bit_xor(('x' || ${column})::bit(64)::bigint)), 16, '0')`;

  readonly createFunction: CreateFunction = (name, parameters, columns, body) => {
    const types = columns.map((each) => (each.type === 'json' ? { ...each, type: this.json } : each));
    return `CREATE OR REPLACE FUNCTION ${name}(${typed(parameters)}) RETURNS TABLE (${typed(types)})
      LANGUAGE sql STABLE AS $body$ ${body} $body$`;
  };

  constructor(private readonly pool: Pg.Pool) {}

  static async open(url: string): Promise<PostgresDatabase> {
    const { Pool } = await peer<typeof Pg>('pg', '--to postgres://');
    const pool = new Pool({ connectionString: url, max: 2, application_name: 'cxp-follow' });
    // A lost connection fails its query, or the next one; without a listener it would also end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    return new PostgresDatabase(pool);
  }

  async transaction<Result>(
    work: (run: Run, stage: Stage) => Promise<Result>,
    isFirst = false,
  ): Promise<Result> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      // CREATE … IF NOT EXISTS fails for one of two concurrent followers.
      if (isFirst) await client.query("SELECT pg_advisory_xact_lock(hashtext('cxp_follow'))");
      const result = await work(runInPostgres(client), stageInPostgres(client));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  async *read(sql: string): AsyncGenerator<ResultRows> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query(`DECLARE copied CURSOR FOR ${sql}`);
      for (;;) {
        const { rows } = await client.query<ResultRows[number]>(`FETCH ${ROWS_AT_ONCE} FROM copied`);
        if (rows.length === 0) return;
        yield rows;
      }
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
      client.release();
    }
  }

  async compact(): Promise<void> {
    // Autovacuum does.
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}

function stageInPostgres(client: PoolClient): Stage {
  return async (columns, rows) => {
    await client.query(`CREATE TEMP TABLE batch (${typed(columns)}) ON COMMIT DROP`);
    const arrays = columns.map(({ type }, place) => `$${place + 1}::${type}[]`).join(', ');
    const values = columns.map((_, place) => rows.map((row) => row[place]));
    await client.query(`INSERT INTO batch SELECT * FROM unnest(${arrays})`, values);
  };
}

function runInPostgres(client: PoolClient): Run {
  return async (sql, values) => (await client.query<ResultRows[number]>(sql, values as unknown[])).rows;
}

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
      const result = await work(runInDuckdb(connection), stageInDuckdb(connection));
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
      const [row] = await runInDuckdb(connection)('SELECT current_database() AS name');
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

function runInDuckdb(connection: DuckDBConnection): Run {
  return async (sql, values) => {
    const result = await connection.runAndReadAll(sql, values as DuckDBValue[]);
    return result.getRowObjectsJson() as ResultRows;
  };
}

function stageInDuckdb(connection: DuckDBConnection): Stage {
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

const POSTGRES = /^postgres(ql)?:\/\//;
const DUCKDB = /[^/\\]\.duckdb$/;

export const isFile = (target: string) => DUCKDB.test(target);

/** @throws InvalidArgumentError that lists the targets */
export function parseTarget(target: string): string {
  if (target === '-' || POSTGRES.test(target) || isFile(target)) return target;
  throw new InvalidArgumentError('It must be a postgres:// URL, FILE.duckdb, or - for standard output.');
}

/** @throws CommandError if its package is not installed */
export function openTarget(target: string): Promise<CopyDatabase> {
  return POSTGRES.test(target) ? PostgresDatabase.open(target) : DuckdbDatabase.open(target);
}
