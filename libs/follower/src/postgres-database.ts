import type Pg from 'pg';
import type { PoolClient } from 'pg';
import {
  type CopyDatabase,
  type CreateFunction,
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
    // An idle connection was lost; its next use reports the reason.
    pool.on('error', () => undefined);
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
      const result = await work(runOf(client), stageOf(client));
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

function stageOf(client: PoolClient): Stage {
  return async (columns, rows) => {
    await client.query(`CREATE TEMP TABLE batch (${typed(columns)}) ON COMMIT DROP`);
    const arrays = columns.map(({ type }, place) => `$${place + 1}::${type}[]`).join(', ');
    const values = columns.map((_, place) => rows.map((row) => row[place]));
    await client.query(`INSERT INTO batch SELECT * FROM unnest(${arrays})`, values);
  };
}

function runOf(client: PoolClient): Run {
  return async (sql, values) => (await client.query<ResultRows[number]>(sql, values as unknown[])).rows;
}
