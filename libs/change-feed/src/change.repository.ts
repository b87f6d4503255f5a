import { madeOnce, numberColumn, Statement } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { FeedDefinition } from './change-feed';

/** The number of a row or removal that the end of its transaction numbers: no reader ever sees it. */
export const UNNUMBERED = 0;

/** Why a key has no row any more. */
export type RemovalReason = 'removed' | 'erased' | 'expired';

/** A key that has no row any more. */
export interface Removal {
  readonly key: string;
  readonly reason: RemovalReason;
}

/** Writes the numbers and removals of one area's feed, inside the transaction that changes its rows. */
export class ChangeRepository {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(
    private readonly manager: EntityManager,
    schema: string,
  ) {
    this.statements = statementsOf(schema);
  }

  /** The greatest number that the organization has assigned; 0 if none. */
  async last(organizationId: string): Promise<number> {
    const feed = await this.statements.last.first(this.manager, [organizationId]);
    return feed?.last ?? 0;
  }

  /**
   * Numbers what the transaction left unnumbered: the removals, and then the rows. In the last statements before COMMIT: from
   * here on no other transaction can number changes of the organization, so that numbers become visible in their order.
   * @returns the number before those that rows have got; undefined if there is no such row
   */
  async number(organizationId: string, feed: FeedDefinition): Promise<number | undefined> {
    const { count, number } = numbering(feed);
    const { removals, upserts } = (await count.first(this.manager, [organizationId]))!;
    if (removals + upserts === 0) return undefined;
    const last = await this.advance(organizationId, removals + upserts);
    await number.run(this.manager, [organizationId, last - upserts - removals, last - upserts]);
    return upserts > 0 ? last - upserts : undefined;
  }

  /** Takes consecutive numbers for what is written with them; the same lock, and the same place in the transaction. @returns the first one */
  async take(organizationId: string, count: number): Promise<number> {
    return (await this.advance(organizationId, count)) - count + 1;
  }

  /** Stores that keys have no row any more. @param first the number of the first one; undefined: `number` numbers them */
  async addRemovals(organizationId: string, removals: readonly Removal[], first?: number): Promise<void> {
    if (removals.length === 0) return;
    const keys = removals.map(({ key }) => key);
    const reasons = removals.map(({ reason }) => reason);
    await this.statements.addRemovals.run(this.manager, [organizationId, keys, reasons, first ?? null]);
  }

  /** Takes back the removals of keys that have a row again. */
  async deleteRemovals(organizationId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.statements.deleteRemovals.run(this.manager, [organizationId, keys]);
  }

  /** Stores that rows have to be read again, for a reason. */
  async addResync(organizationId: string, reason: string): Promise<void> {
    const change = await this.advance(organizationId, 1);
    await this.statements.addResync.run(this.manager, [organizationId, reason, change]);
  }

  private async advance(organizationId: string, count: number): Promise<number> {
    const feed = await this.statements.advance.first(this.manager, [organizationId, count]);
    return feed!.last;
  }
}

/** SQL: how a statement that adds removals treats those that are there. */
export const REPLACES_REMOVAL = `
  ON CONFLICT (organization_id, op, key) DO UPDATE
  SET change = excluded.change, reason = excluded.reason, recorded_at = excluded.recorded_at`;

/**
 * SQL: moves the last number of an organization. Its row is the lock under which changes are numbered.
 * @param source SQL: one row of the organization and how many numbers to take, or none
 */
export function advanceFeed(schema: string, source: string): string {
  return `INSERT INTO ${schema}.change_feed AS feed (organization_id, last) ${source}
    ON CONFLICT (organization_id) DO UPDATE SET last = feed.last + excluded.last`;
}

/**
 * SQL: deletes the removals of keys that have a row again. $1 organization. Each is looked up by its key, and found again by its place:
 * joined by keys, PostgreSQL compares each removal with each row if its statistics are older than the removals.
 * @param rows SQL: what is read FROM for the keys
 * @param key SQL: the key of such a row
 */
export function deleteRemovalsOf(schema: string, rows: string, key: string, condition = 'TRUE'): string {
  return `DELETE FROM ${schema}.change_removal AS removal USING (
      SELECT known.ctid FROM ${rows} CROSS JOIN LATERAL (
        SELECT ctid FROM ${schema}.change_removal
        WHERE organization_id = $1 AND op = 'delete' AND key = ${key} OFFSET 0
      ) AS known
      WHERE ${condition}
    ) AS taken_back
    WHERE ${atPlace('removal', 'taken_back')}`;
}

/**
 * SQL: the row of $1 that the same statement has found. Where the collation is another one than that of the table, PostgreSQL can not find rows by
 * the organization; and a cluster of Citus still finds the shard by it.
 */
function atPlace(table: string, found: string): string {
  return `${table}.organization_id = $1::text COLLATE "POSIX" AND ${table}.ctid = ${found}.ctid`;
}

/** $1 is the organization. */
const statementsOf = madeOnce((schema: string) => ({
  last: new Statement(
    { last: numberColumn('last') },
    (list) => `SELECT ${list} FROM ${schema}.change_feed WHERE organization_id = $1`,
  ),
  advance: new Statement(
    { last: numberColumn('feed.last') },
    (list) => `${advanceFeed(schema, 'VALUES ($1, $2::bigint)')} RETURNING ${list}`,
  ),
  addRemovals: new Statement(
    {},
    `INSERT INTO ${schema}.change_removal (organization_id, op, key, reason, change)
     SELECT $1, 'delete', key, reason, coalesce($4::bigint + place - 1, ${UNNUMBERED})
     FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS removal (key, reason, place)
     ${REPLACES_REMOVAL}`,
  ),
  deleteRemovals: new Statement({}, deleteRemovalsOf(schema, 'unnest($2::text[]) AS row (key)', 'row.key')),
  addResync: new Statement(
    {},
    `INSERT INTO ${schema}.change_removal (organization_id, op, key, change) VALUES ($1, 'resync', $2, $3)
     ${REPLACES_REMOVAL}`,
  ),
}));

/**
 * $1 organization; of the second $2 and $3 the numbers before those of the removals and of the rows. Rows are found by their place in the table: by
 * their keys PostgreSQL, if its statistics are older than the organization's rows, compares each row with each.
 */
export const numbering = madeOnce(({ schema, table }: FeedDefinition) => {
  const unnumbered = (of: string) => `FROM ${of} WHERE organization_id = $1 AND change = ${UNNUMBERED}`;
  const placed = (of: string) => `SELECT ctid, row_number() OVER () AS place ${unnumbered(of)}`;
  const removal = `${schema}.change_removal`;
  return {
    count: new Statement(
      {
        removals: numberColumn(`(SELECT count(*) ${unnumbered(removal)})`),
        upserts: numberColumn(`(SELECT count(*) ${unnumbered(table)})`),
      },
      (list) => `SELECT ${list}`,
      'prepared',
    ),
    number: new Statement(
      {},
      `WITH removal AS MATERIALIZED (${placed(removal)}), upsert AS MATERIALIZED (${placed(table)}), numbered_removal AS (
         UPDATE ${removal} AS stored SET change = $2::bigint + place FROM removal WHERE ${atPlace('stored', 'removal')}
       )
       UPDATE ${table} AS stored SET change = $3::bigint + place FROM upsert WHERE ${atPlace('stored', 'upsert')}`,
      'prepared',
    ),
  };
});
