import type { Pool, PoolClient } from 'pg';
import { CommandError } from './errors';
import type { CopiedRow, CopyColumn, FollowedArea, FollowedChange } from './followed-area';
import { type Copy, type CopyState, stateAfter, type StoredBatch } from './follower';

const ROWS_AT_ONCE = 2_000;

/**
 * A copy of one area's rows in the client's own PostgreSQL: a table, and its state in `cxp_follow_state`.
 * Every method is one transaction.
 */
export class PostgresCopy implements Copy {
  readonly name: string;

  constructor(
    private readonly pool: Pool,
    private readonly area: FollowedArea,
    private readonly organizationId: string,
  ) {
    this.name = area.table;
  }

  /** Makes the tables at the first start. @throws CommandError if the table is a copy of another organization */
  async open(): Promise<CopyState> {
    const { table, keyColumns, extraColumn } = this.area;
    const keys = keyColumns.map(({ name, type }) => `${name} ${type}`).join(', ');
    return this.transaction(async (client) => {
      // Two followers may start at once, and CREATE … IF NOT EXISTS fails for one of them.
      await client.query("SELECT pg_advisory_xact_lock(hashtext('cxp_follow'))");
      await client.query(`CREATE TABLE IF NOT EXISTS cxp_follow_state (
        area text PRIMARY KEY, organization_id text NOT NULL, cursor text, reading integer NOT NULL,
        is_complete boolean NOT NULL, stored_at timestamptz NOT NULL DEFAULT now())`);
      await client.query('ALTER TABLE cxp_follow_state ADD COLUMN IF NOT EXISTS schedule text');
      await client.query(`CREATE TABLE IF NOT EXISTS ${table} (
        ${keys}, ${extraColumn.name} ${extraColumn.type} NOT NULL, change bigint NOT NULL, digest text NOT NULL,
        "row" jsonb NOT NULL, reading integer NOT NULL,
        UNIQUE NULLS NOT DISTINCT (${names(keyColumns)}))`);
      await client.query(
        `INSERT INTO cxp_follow_state (area, organization_id, reading, is_complete) VALUES ($1, $2, 0, false)
         ON CONFLICT DO NOTHING`,
        [this.area.name, this.organizationId],
      );
      const { rows } = await client.query<CopyState & { organization: string }>(
        `SELECT organization_id AS organization, cursor, reading, is_complete AS "isComplete", schedule
         FROM cxp_follow_state WHERE area = $1`,
        [this.area.name],
      );
      const { organization, ...state } = rows[0]!;
      if (organization === this.organizationId) return state;
      throw new CommandError(`the table ${table} is a copy of organization ${organization}`);
    });
  }

  async store(state: CopyState, batch: StoredBatch): Promise<CopyState> {
    const next = stateAfter(state, batch);
    const { cursor, reading, isComplete, schedule } = next;
    await this.transaction(async (client) => {
      const { rowCount } = await client.query(
        `UPDATE cxp_follow_state SET cursor = $2, reading = $3, is_complete = $4, schedule = $7, stored_at = now()
         WHERE area = $1 AND cursor IS NOT DISTINCT FROM $5 AND reading = $6`,
        [this.area.name, cursor, reading, isComplete, state.cursor, state.reading, schedule],
      );
      if (rowCount === 0) throw new CommandError('another follower writes to the same table');
      await this.apply(client, batch.items, reading);
      if (isComplete && !(state.isComplete && batch.startsOver === null)) {
        await client.query(`DELETE FROM ${this.area.table} WHERE reading < $1`, [reading]);
      }
    });
    return next;
  }

  async count(): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>(`SELECT count(*) FROM ${this.area.table}`);
    return Number(rows[0]!.count);
  }

  /** Those of one snapshot. */
  async *rows(): AsyncGenerator<CopiedRow & { readonly digest: string }> {
    const { table, keyColumns, extraColumn } = this.area;
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await client.query(`DECLARE copied CURSOR FOR SELECT ${names(keyColumns)}, ${asText(extraColumn)} AS extra,
        digest, "row" FROM ${table}`);
      for (;;) {
        const { rows } = await client.query<CopiedColumns>(`FETCH ${ROWS_AT_ONCE} FROM copied`);
        if (rows.length === 0) return;
        for (const { extra, digest, row, ...key } of rows)
          yield { key: keyOf(this.area, key), extra, digest, row: row ?? {} };
      }
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
      client.release();
    }
  }

  private async apply(client: PoolClient, items: readonly FollowedChange[], reading: number): Promise<void> {
    const { table, keyColumns, extraColumn } = this.area;
    // A stream that lasts may hold a key again: the last change counts.
    const last = new Map(items.map((item) => [JSON.stringify(item.key), item]));
    const removed = [...last.values()].filter(({ op }) => op === 'delete');
    const upserted = [...last.values()].filter(({ op }) => op === 'upsert');
    if (removed.length > 0) {
      // The first column is never null: by it the index finds the rows.
      const isSame = keyColumns.map(
        ({ name }, place) => `copied.${name} ${place === 0 ? '=' : 'IS NOT DISTINCT FROM'} removed.${name}`,
      );
      await client.query(
        `DELETE FROM ${table} copied USING unnest(${placeholders(keyColumns)}) AS removed (${names(keyColumns)})
         WHERE ${isSame.join(' AND ')}`,
        keyColumns.map(({ member }) => removed.map(({ key }) => key[member])),
      );
    }
    if (upserted.length === 0) return;
    const columns: readonly CopyColumn[] = [
      ...keyColumns.map(({ member, ...column }) => ({
        ...column,
        valueOf: ({ key }: FollowedChange) => key[member]!,
      })),
      extraColumn,
      { name: 'change', type: 'bigint', valueOf: ({ change }) => change },
      { name: 'digest', type: 'text', valueOf: ({ digest }) => digest! },
      { name: '"row"', type: 'jsonb', valueOf: ({ row }) => JSON.stringify(row) },
    ];
    const updates = columns.slice(keyColumns.length).map(({ name }) => `${name} = excluded.${name}`);
    await client.query(
      `INSERT INTO ${table} (${names(columns)}, reading)
       SELECT *, $${columns.length + 1}::integer FROM unnest(${placeholders(columns)})
       ON CONFLICT (${names(keyColumns)}) DO UPDATE SET ${updates.join(', ')}, reading = excluded.reading`,
      [...columns.map(({ valueOf }) => upserted.map(valueOf)), reading],
    );
  }

  private async transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }
}

function names(columns: readonly { readonly name: string }[]): string {
  return columns.map(({ name }) => name).join(', ');
}

function placeholders(columns: readonly { readonly type: string }[]): string {
  return columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ');
}

interface CopiedColumns {
  readonly extra: string;
  readonly digest: string;
  readonly row: CopiedRow['row'] | null;
}

/** Times as the API writes them. */
function asText({ name, type }: CopyColumn): string {
  if (type !== 'timestamptz') return `${name}::text`;
  return `to_char(${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The key as the feed writes it; PostgreSQL's bigint arrives as text. */
function keyOf({ keyColumns }: FollowedArea, columns: object): CopiedRow['key'] {
  return Object.fromEntries(
    keyColumns.map(({ name, type, member }) => {
      const value = (columns as Record<string, string | number | null>)[name]!;
      return [member, type === 'bigint' && value !== null ? Number(value) : value];
    }),
  );
}
