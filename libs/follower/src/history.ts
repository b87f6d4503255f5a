import { type CopyDatabase, names, type Run, typed } from './database';
import type { FollowedArea } from './followed-area';
import { type CopyState, ERASING, isErasing, isSameKey, sinceOf, type StoredChange } from './copied-tables';

/** Past states of rows; the copy's table has the current ones. */
export const PAST = 'cxp.session_past';

/** Days; the service's default for how long it can report an erasure. */
const REMOVED_KEPT_DAYS = 90;
const FORGET_EVERY_MS = 3_600_000;

const BLANK = `UPDATE ${PAST} SET conversation_updated_at = NULL, digest = NULL, "row" = NULL WHERE "row" IS NOT NULL`;

/** Stores the states that a copy replaces or removes, in the same transaction. */
export class History {
  private forgetAt = 0;

  constructor(
    private readonly database: CopyDatabase,
    private readonly area: FollowedArea,
  ) {}

  async create(run: Run): Promise<void> {
    const { keyColumns } = this.area;
    await run('CREATE SCHEMA IF NOT EXISTS cxp');
    await run(`CREATE TABLE IF NOT EXISTS ${PAST} (
      ${typed(keyColumns)}, conversation_updated_at timestamptz, digest text, "row" ${this.database.json},
      change bigint NOT NULL, replaced_by bigint NOT NULL, end_reason text NOT NULL,
      ended_at timestamptz NOT NULL DEFAULT now())`);
    if (this.database.hasIndexes)
      await run(`CREATE INDEX IF NOT EXISTS session_past_conversation ON ${PAST} (conversation_id)`);
  }

  /** A restored backup has smaller numbers: states after them never existed. */
  async begin(run: Run, from: CopyState, { began }: CopyState): Promise<void> {
    if (began === from.began || began >= from.change) return;
    await run(
      `UPDATE ${PAST} SET replaced_by = ${began}, end_reason = 'resync' WHERE replaced_by > ${began}`,
    );
  }

  /** Ends states that the batch replaces. To be called before it is written. */
  async end(run: Run, from: CopyState, next: CopyState, isSame: string): Promise<void> {
    const { area } = this;
    const columns = [...area.keyColumns, area.extraColumn];
    await run(
      `INSERT INTO ${PAST} (${names(columns)}, digest, "row", change, replaced_by, end_reason)
       SELECT ${columns.map(({ name }) => `held.${name}`).join(', ')}, held.digest, held."row",
         coalesce(held.since, held.change), ${sinceOf(from, next)},
         CASE WHEN batch.op = 'delete' THEN batch.reason WHEN batch.change > held.change THEN 'changed' ELSE 'resync' END
       FROM ${area.table} AS held JOIN batch ON ${isSameKey(area)} WHERE NOT (${isSame})`,
    );
  }

  /** Blanks conversations that the batch erases. To be called after `end`. */
  async blank(run: Run, items: readonly StoredChange[]): Promise<void> {
    if (!items.some(isErasing)) return;
    const reasons = ERASING.map((reason) => `'${reason}'`).join();
    const erased = `SELECT conversation_id FROM batch WHERE op = 'delete' AND reason IN (${reasons})`;
    await run(`${BLANK} AND conversation_id IN (${erased})`);
  }

  /** Ends rows that a reading did not find. To be called before they are deleted. */
  async endUnseen(run: Run, { reading, began }: CopyState): Promise<void> {
    const unseen = `FROM ${this.area.table} WHERE reading < ${reading}`;
    await run(`${BLANK} AND conversation_id IN (SELECT conversation_id ${unseen})`);
    const keys = names(this.area.keyColumns);
    await run(`INSERT INTO ${PAST} (${keys}, change, replaced_by, end_reason)
      SELECT ${keys}, coalesce(since, change), ${began}, 'resync' ${unseen}`);
  }

  /**
   * Blanks old removals, because the service forgets them and could not report their erasure any more.
   * @returns whether there were any
   */
  async forget(run: Run): Promise<boolean> {
    if (performance.now() < this.forgetAt) return false;
    this.forgetAt = performance.now() + FORGET_EVERY_MS;
    const forgotten = await run(`${BLANK} AND conversation_id IN (
        SELECT conversation_id FROM ${PAST} WHERE end_reason = 'removed' AND "row" IS NOT NULL
        AND ended_at < now() - INTERVAL '${REMOVED_KEPT_DAYS} days')
      AND NOT EXISTS (SELECT 1 FROM ${this.area.table} AS held WHERE held.conversation_id = ${PAST}.conversation_id)
      RETURNING change`);
    return forgotten.length > 0;
  }
}
