import type Pg from 'pg';
import type { PoolClient } from 'pg';
import {
  AwayError,
  type CopyDatabase,
  type CreateFunction,
  type JsonSql,
  peer,
  type ResultRows,
  type Run,
  type Snapshot,
  type Stage,
  typed,
} from './database';

const ROWS_AT_ONCE = 2_000;
const CONNECTING_MS = 10_000;
/** SQLSTATEs of a server that stops or starts, is full or read-only, or gave up one of two transactions. */
const NOT_NOW = /^(08|53|57P0|58|40|25006)/;
/** Errors without an SQLSTATE: of sockets, and of `pg` when a connection is lost. */
const LOST = /^E[A-Z_]+$|^(Connection terminated|timeout expired|Client has encountered a connection error)/;
export const DEFAULT_SCHEMA = 'cxp';

/** The client's own PostgreSQL. */
export class PostgresDatabase implements CopyDatabase {
  readonly json = 'jsonb';
  readonly hasIndexes = true;
  readonly functionKind = 'FUNCTION';
  readonly jsonSql: JsonSql = {
    members: (json, as) =>
      `jsonb_each(CASE WHEN jsonb_typeof(${json}) = 'object' THEN ${json} END) AS ${as}(key, value)`,
    elements: (json, as) =>
      `jsonb_array_elements(CASE WHEN jsonb_typeof(${json}) = 'array' THEN ${json} END) AS ${as}(value)`,
    isString: (json) => `jsonb_typeof(${json}) = 'string'`,
    text: (json) => `${json} #>> '{}'`,
  };

  readonly createFunction: CreateFunction = (name, parameters, columns, body) => {
    const types = columns.map((each) => (each.type === 'json' ? { ...each, type: this.json } : each));
    return `CREATE OR REPLACE FUNCTION ${name}(${typed(parameters)}) RETURNS TABLE (${typed(types)})
      LANGUAGE sql STABLE AS $body$ ${body} $body$`;
  };

  constructor(
    private readonly pool: Pg.Pool,
    readonly schema = DEFAULT_SCHEMA,
  ) {}

  static async open(url: string, schema?: string): Promise<PostgresDatabase> {
    const { Pool } = await peer<typeof Pg>('pg', '--to postgres://');
    const pool = new Pool({
      ...{ connectionString: url, max: 2, application_name: 'cxp-follow' },
      ...{ connectionTimeoutMillis: CONNECTING_MS, keepAlive: true },
    });
    // A lost connection fails its query, or the next one; without a listener it would also end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
    // A wrong URL ends the command before it asks the service for anything.
    await pool.query('SELECT').catch(async (error: unknown) => {
      await pool.end();
      throw error;
    });
    return new PostgresDatabase(pool, schema);
  }

  transaction<Result>(work: (run: Run, stage: Stage) => Promise<Result>, isFirst = false): Promise<Result> {
    return this.within('BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE', async (client) => {
      // CREATE … IF NOT EXISTS fails for one of two concurrent followers.
      if (isFirst) await client.query("SELECT pg_advisory_xact_lock(hashtext('cxp_follow'))");
      return work(runIn(client), stageIn(client));
    });
  }

  snapshot<Result>(work: (snapshot: Snapshot) => Promise<Result>): Promise<Result> {
    return this.within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (client) =>
      work({ run: runIn(client), stream: streamIn(client) }),
    );
  }

  private async within<Result>(
    begin: string,
    work: (client: PoolClient) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.pool.connect().catch(away);
    try {
      await client.query(begin);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      return away(error);
    } finally {
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

/** @throws AwayError if the database may come back by itself, else the error */
function away(error: unknown): never {
  const { code = '', message, severity } = error as Error & { code?: string; severity?: string };
  if (severity ? NOT_NOW.test(code) : LOST.test(code) || LOST.test(message))
    throw new AwayError('the database', message || code);
  throw error;
}

function runIn(client: PoolClient): Run {
  return async (sql, values) => (await client.query<ResultRows[number]>(sql, values as unknown[])).rows;
}

function streamIn(client: PoolClient): Snapshot['stream'] {
  return async (sql, visit) => {
    await client.query(`DECLARE copied NO SCROLL CURSOR FOR ${sql}`);
    const fetched = () => client.query<ResultRows[number]>(`FETCH ${ROWS_AT_ONCE} FROM copied`);
    for (let next = fetched(); ;) {
      const { rows } = await next;
      if (rows.length === 0) break;
      // PostgreSQL reads while these are visited.
      next = fetched();
      rows.forEach(visit);
    }
    await client.query('CLOSE copied');
  };
}

function stageIn(client: PoolClient): Stage {
  return async (columns, rows) => {
    await client.query(`CREATE TEMP TABLE batch (${typed(columns)}) ON COMMIT DROP`);
    const arrays = columns.map(({ type }, place) => `$${place + 1}::${type}[]`).join(', ');
    const values = columns.map((_, place) => rows.map((row) => row[place]));
    await client.query(`INSERT INTO batch SELECT * FROM unnest(${arrays})`, values);
  };
}
