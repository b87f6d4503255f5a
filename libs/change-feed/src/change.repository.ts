import type { EntityManager } from 'typeorm';

/** A key that has no row any more, as it is answered: JSON text. */
export interface Removal {
  readonly key: string;
  readonly change: number | null;
}

/**
 * Writes the numbers and removals of one area's feed, inside the transaction that changes its rows:
 * `new ChangeRepository(manager, 'survey')`.
 */
export class ChangeRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly schema: string,
  ) {}

  /**
   * Assigns numbers to changes. From here to the end of the transaction no other transaction can assign numbers of the
   * organization, so that numbers become visible in their order. Call it after the last line of a request is read.
   * @returns the first of `count` consecutive numbers
   */
  async assign(organizationId: string, count: number): Promise<number> {
    const [feed] = await this.manager.query<[{ last: number }]>(
      `WITH assigned AS (
         INSERT INTO ${this.schema}.change_feed AS feed (organization_id, last) VALUES ($1, $2)
         ON CONFLICT (organization_id) DO UPDATE SET last = feed.last + excluded.last
         RETURNING last
       )
       SELECT last::float8, set_config('change_feed.numbers_changes', 'on', true) FROM assigned`,
      [organizationId, count],
    );
    return feed.last - count + 1;
  }

  /** For a transaction that changes rows before it can number them: `numberUnnumbered` has to follow. */
  async numberLater(): Promise<void> {
    await this.manager.query(`SELECT set_config('change_feed.numbers_changes', 'on', true)`);
  }

  /**
   * Numbers the removals of the organization, and then the rows, that have no number.
   * @param condition SQL: which rows of the table
   * @returns how many were numbered
   */
  async numberUnnumbered(organizationId: string, table: string, condition: string): Promise<number> {
    const removals = this.unnumberedRemovals();
    const rows = `FROM ${table} WHERE organization_id = $1 AND change IS NULL AND ${condition}`;
    const numbered = await this.numberAll(organizationId, `${this.schema}.change_removal`, removals);
    return numbered + (await this.numberAll(organizationId, table, rows));
  }

  /** Numbers the removals and resyncs of the organization that have no number. */
  async numberUnnumberedRemovals(organizationId: string): Promise<void> {
    await this.numberAll(organizationId, `${this.schema}.change_removal`, this.unnumberedRemovals());
  }

  private unnumberedRemovals(): string {
    return `FROM ${this.schema}.change_removal WHERE organization_id = $1 AND change IS NULL`;
  }

  private async numberAll(organizationId: string, table: string, unnumbered: string): Promise<number> {
    const [{ count }] = await this.manager.query<[{ count: number }]>(
      `SELECT count(*)::integer AS count ${unnumbered}`,
      [organizationId],
    );
    if (count === 0) return 0;
    const first = await this.assign(organizationId, count);
    await this.manager.query(
      `UPDATE ${table} AS stored SET change = numbered.change
       FROM (SELECT ctid AS place, $2::bigint + row_number() OVER () - 1 AS change ${unnumbered}) AS numbered
       WHERE stored.ctid = numbered.place`,
      [organizationId, first],
    );
    return count;
  }

  /** Announces keys that have no row any more. */
  async addRemovals(organizationId: string, removals: readonly Removal[]): Promise<void> {
    if (removals.length === 0) return;
    await this.manager.query(
      `INSERT INTO ${this.schema}.change_removal (organization_id, op, key, change)
       SELECT $1, 'delete', key, change FROM unnest($2::text[], $3::bigint[]) AS removal (key, change)
       ON CONFLICT (organization_id, op, key) DO UPDATE
         SET change = excluded.change, recorded_at = excluded.recorded_at`,
      [organizationId, removals.map(({ key }) => key), removals.map(({ change }) => change)],
    );
  }

  /** Takes back the removals of keys that have a row again. */
  async deleteRemovals(organizationId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.manager.query(
      `DELETE FROM ${this.schema}.change_removal
       WHERE organization_id = $1 AND op = 'delete' AND key = ANY ($2)`,
      [organizationId, keys],
    );
  }

  /** Announces that rows have to be read again, for a reason. */
  async addResync(organizationId: string, reason: string): Promise<void> {
    const change = await this.assign(organizationId, 1);
    await this.manager.query(
      `INSERT INTO ${this.schema}.change_removal (organization_id, op, key, change) VALUES ($1, 'resync', $2, $3)
       ON CONFLICT (organization_id, op, key) DO UPDATE
         SET change = excluded.change, recorded_at = excluded.recorded_at`,
      [organizationId, reason, change],
    );
  }
}
