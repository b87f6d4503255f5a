import { memoize, numberColumn, Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

export type RemovalReason = 'removed' | 'erased' | 'expired';

export interface Removal {
  readonly key: string;
  readonly reason: RemovalReason;
}

export class ChangeRepository {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(
    private readonly manager: EntityManager,
    schema: string,
  ) {
    this.statements = statementsOf(schema);
  }

  async last(organizationId: string): Promise<number> {
    const feed = await this.statements.last.first(this.manager, { organizationId });
    return feed?.last ?? 0;
  }

  /**
   * Takes consecutive numbers. Until the transaction ends, no other one can number the organization's changes, so numbers
   * become visible in order; nor can one lock removals that this one waits for.
   * @returns the first
   */
  async takeNumbers(organizationId: string, count: number): Promise<number> {
    return (await this.advance(organizationId, count)) - count + 1;
  }

  /** @param first number of the first removal */
  async addRemovals(organizationId: string, removals: readonly Removal[], first: number): Promise<void> {
    if (removals.length === 0) return;
    const keys = removals.map(({ key }) => key);
    const reasons = removals.map(({ reason }) => reason);
    await this.statements.addRemovals.run(this.manager, { organizationId, keys, reasons, first });
  }

  /**
   * Gives removals a new reason and number, so that copies erase them.
   * @param beginnings of their keys, ending with a comma
   */
  async removeAgain(
    organizationId: string,
    beginnings: readonly string[],
    reason: RemovalReason,
  ): Promise<void> {
    const found = await this.statements.otherRemovals.run(this.manager, {
      organizationId,
      beginnings,
      reason,
    });
    if (found.length === 0) return;
    const first = await this.takeNumbers(organizationId, found.length);
    await this.addRemovals(
      organizationId,
      found.map(({ key }) => ({ key, reason })),
      first,
    );
  }

  /** Deletes the removals of keys that have a row again. */
  async deleteRemovals(organizationId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.statements.deleteRemovals.run(this.manager, { organizationId, keys });
  }

  /** Makes readers read all rows again. */
  async addResync(organizationId: string, reason: string): Promise<void> {
    const change = await this.advance(organizationId, 1);
    await this.statements.addResync.run(this.manager, { organizationId, reason, change });
  }

  private async advance(organizationId: string, count: number): Promise<number> {
    const feed = await this.statements.advance.first(this.manager, { organizationId, count });
    return feed!.last;
  }
}

/** The conflict clause of statements that add removals. */
export const REPLACES_REMOVAL = `
  ON CONFLICT (organization_id, op, key) DO UPDATE
  SET change = excluded.change, reason = excluded.reason, recorded_at = excluded.recorded_at`;

/**
 * Moves an organization's last number. Its row is the lock under which changes are numbered.
 * @param source SQL: a row with the organization and the count of numbers, or none
 */
export function advanceFeed(schema: string, source: string): string {
  return `INSERT INTO ${schema}.change_feed AS feed (organization_id, last) ${source}
    ON CONFLICT (organization_id) DO UPDATE SET last = feed.last + excluded.last`;
}

const statementsOf = memoize((schema: string) => ({
  last: new Statement(
    { organizationId: 'text' },
    { last: numberColumn('last') },
    (list) => `SELECT ${list} FROM ${schema}.change_feed WHERE organization_id = $organizationId`,
  ),
  advance: new Statement(
    { organizationId: 'text', count: 'bigint' },
    { last: numberColumn('feed.last') },
    (list) => `${advanceFeed(schema, 'VALUES ($organizationId, $count)')} RETURNING ${list}`,
  ),
  addRemovals: new Statement(
    { organizationId: 'text', keys: 'text[]', reasons: 'text[]', first: 'bigint' },
    {},
    `INSERT INTO ${schema}.change_removal (organization_id, op, key, reason, change)
     SELECT $organizationId, 'delete', key, reason, $first + place - 1
     FROM unnest($keys, $reasons) WITH ORDINALITY AS removal (key, reason, place)
     ${REPLACES_REMOVAL}`,
  ),
  deleteRemovals: new Statement(
    { organizationId: 'text', keys: 'text[]' },
    {},
    `DELETE FROM ${schema}.change_removal WHERE organization_id = $organizationId AND ctid = ANY (ARRAY(
       SELECT known.ctid FROM unnest($keys) AS row (key) CROSS JOIN LATERAL (
         SELECT ctid FROM ${schema}.change_removal
         WHERE organization_id = $organizationId AND op = 'delete' AND key = row.key OFFSET 0
       ) AS known
     ))`,
  ),
  /** A key with a prefix lies between the prefix and the prefix with the character after the comma. */
  otherRemovals: new Statement(
    { organizationId: 'text', beginnings: 'text[]', reason: 'text' },
    { key: textColumn('removal.key') },
    (list) => `SELECT ${list} FROM unnest($beginnings) AS beginning (text) CROSS JOIN LATERAL (
       SELECT key FROM ${schema}.change_removal
       WHERE organization_id = $organizationId AND op = 'delete' AND reason <> $reason
         AND key >= beginning.text AND key < left(beginning.text, -1) || '-' OFFSET 0
     ) AS removal ORDER BY removal.key`,
  ),
  addResync: new Statement(
    { organizationId: 'text', reason: 'text', change: 'bigint' },
    {},
    `INSERT INTO ${schema}.change_removal (organization_id, op, key, change) VALUES ($organizationId, 'resync', $reason, $change)
     ${REPLACES_REMOVAL}`,
  ),
}));
