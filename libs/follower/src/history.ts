import { type CopyDatabase, names, qualified, type Run, typed } from './database';
import type { FollowedFeed } from './followed-feed';
import { comment, type CopyState, isSameKey, sinceOf, type StoredChange } from './copied-tables';

/** Days; the service's default for how long it can report an erasure. */
const REMOVED_KEPT_DAYS = 90;
const FORGET_EVERY_MS = 3_600_000;

/** After these reasons only the key and numbers of a row stay. After a `resync` it is unknown whether the row was erased. */
const ERASING = ['erased', 'expired', 'resync'];
export const isErasing = ({ reason }: StoredChange) => ERASING.includes(reason ?? '');

/** Past states of rows; the copy's table has the current ones. */
export const PAST = 'session_past';
/** When the copy was up to date, and at which change. */
export const LOG = 'follow_log';

/** Stores the states that a copy replaces or removes, in the same transaction. */
export class History {
  private forgetAt = 0;
  private readonly past: string;
  private readonly log: string;
  private readonly held: string;
  private readonly blanked: string;

  constructor(
    private readonly database: CopyDatabase,
    private readonly feed: FollowedFeed,
  ) {
    this.past = qualified(database, PAST);
    this.log = qualified(database, LOG);
    this.held = qualified(database, feed.table);
    this.blanked = `UPDATE ${this.past} SET conversation_updated_at = NULL, digest = NULL, "row" = NULL WHERE "row" IS NOT NULL`;
  }

  async create(run: Run): Promise<void> {
    const { keyColumns } = this.feed;
    await run(`CREATE TABLE IF NOT EXISTS ${this.past} (
      ${typed(keyColumns)}, conversation_updated_at timestamptz, digest text, "row" ${this.database.json},
      change bigint NOT NULL, replaced_by bigint NOT NULL, end_reason text NOT NULL,
      ended_at timestamptz NOT NULL)`);
    await run(`CREATE TABLE IF NOT EXISTS ${this.log} (
      up_to_date_at timestamptz NOT NULL, change bigint NOT NULL)`);
    await comment(
      run,
      `TABLE ${this.log}`,
      'A row for each time at which the copy was up to date and had changed.',
    );
    await comment(run, `COLUMN ${this.log}.up_to_date_at`, 'The time, by the clock of the database.');
    await comment(run, `COLUMN ${this.log}.change`, 'The number of the copy at that time: for as_of.');
    if (this.database.hasIndexes)
      for (const part of ['conversation', 'ticket'])
        await run(`CREATE INDEX IF NOT EXISTS session_past_${part} ON ${this.past} (${part}_id)`);
  }

  /** A restored backup has smaller numbers: states after them never existed. */
  async begin(run: Run, from: CopyState, { began }: CopyState): Promise<void> {
    if (began === from.began || began >= from.change) return;
    await run(
      `UPDATE ${this.past} SET replaced_by = ${began}, end_reason = 'resync' WHERE replaced_by > ${began}`,
    );
    await run(`UPDATE ${this.log} SET change = ${began} WHERE change > ${began}`);
  }

  /** Ends states that the batch replaces. To be called before it is written. */
  async end(run: Run, from: CopyState, next: CopyState, isSame: string): Promise<void> {
    const columns = [...this.feed.keyColumns, this.feed.extraColumn];
    await run(
      `INSERT INTO ${this.past} (${names(columns)}, digest, "row", change, replaced_by, ended_at, end_reason)
       SELECT ${columns.map(({ name }) => `held.${name}`).join(', ')}, held.digest, held."row", held.since,
         ${sinceOf(from, next)}, now(),
         CASE WHEN batch.op = 'delete' THEN batch.reason WHEN batch.change > held.change THEN 'changed' ELSE 'resync' END
       FROM ${this.held} AS held JOIN batch ON ${isSameKey(this.feed)} WHERE NOT (${isSame})`,
    );
  }

  /** Blanks conversations and tickets that the batch erases. To be called after `end`. */
  async blank(run: Run, items: readonly StoredChange[]): Promise<void> {
    if (!items.some(isErasing)) return;
    const reasons = ERASING.map((reason) => `'${reason}'`).join();
    // A ticket may have been another conversation's before.
    for (const part of ['conversation_id', 'ticket_id']) {
      const erased = `SELECT ${part} FROM batch WHERE op = 'delete' AND reason IN (${reasons})`;
      await run(`${this.blanked} AND ${part} IN (${erased})`);
    }
  }

  /** Ends rows that a reading did not find. To be called before they are deleted. */
  async endUnseen(run: Run, { reading, began }: CopyState): Promise<void> {
    const unseen = `FROM ${this.held} WHERE reading < ${reading}`;
    await run(`${this.blanked} AND conversation_id IN (SELECT conversation_id ${unseen})`);
    const keys = names(this.feed.keyColumns);
    await run(`INSERT INTO ${this.past} (${keys}, change, replaced_by, ended_at, end_reason)
      SELECT ${keys}, since, ${began}, now(), 'resync' ${unseen}`);
  }

  /** A reading that did not continue its cursor can't know whether conversations that were gone before have been erased since. */
  async blankGone(run: Run): Promise<boolean> {
    return (await run(`${this.blanked} AND ${this.isGone} RETURNING change`)).length > 0;
  }

  /**
   * Blanks old removals, because the service forgets them and could not report their erasure any more.
   * @returns whether there were any
   */
  async forget(run: Run): Promise<boolean> {
    if (performance.now() < this.forgetAt) return false;
    this.forgetAt = performance.now() + FORGET_EVERY_MS;
    const old = `SELECT conversation_id FROM ${this.past} WHERE end_reason = 'removed' AND "row" IS NOT NULL
        AND ended_at < now() - INTERVAL '${REMOVED_KEPT_DAYS} days'`;
    const statement = `${this.blanked} AND conversation_id IN (${old}) AND ${this.isGone} RETURNING change`;
    return (await run(statement)).length > 0;
  }

  /** The copy is up to date. */
  async note(run: Run, change: number): Promise<void> {
    await run(`INSERT INTO ${this.log} (up_to_date_at, change) VALUES (now(), ${change})`);
  }

  private get isGone(): string {
    return `NOT EXISTS (SELECT 1 FROM ${this.held} AS held WHERE held.conversation_id = ${this.past}.conversation_id)`;
  }
}
