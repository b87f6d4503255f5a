import type { ChangeBatch } from '@cxp/client';
import { CommandError, type CopyDatabase, names, type Run, typed } from './database';
import type { CopiedRow, FollowedArea, FollowedChange } from './followed-area';

export interface CopyState {
  readonly cursor: string | null;
  /** Counts the readings from the beginning. */
  readonly reading: number;
  /** Whether the reading has reached its end once: then the copy holds no rows of earlier readings. */
  readonly isComplete: boolean;
  /** See `FollowedArea.begin`. */
  readonly schedule: string | null;
  /** Whether the copy is a state that existed. */
  readonly isCurrent: boolean;
  /** The number of the last such state. */
  readonly change: number;
  /** The number at which the reading began. */
  readonly began: number;
}

/** A row is a text: its length counts, and it is stored as it is. */
export type StoredChange = Omit<FollowedChange, 'row'> & { readonly row?: string };

export function withText({ row, ...change }: FollowedChange): StoredChange {
  return { ...change, row: row && JSON.stringify(row) };
}

/** Stored in one transaction. `schedule` and `began` belong to a reading that begins with the batch. */
export type StoredBatch = ChangeBatch<StoredChange> & {
  readonly schedule?: string | null;
  readonly began?: number;
};

export function stateAfter(state: CopyState, batch: StoredBatch): CopyState {
  return {
    cursor: batch.cursor,
    reading: state.reading + (batch.startsOver === null ? 0 : 1),
    isComplete: batch.isCurrent || (batch.startsOver === null && state.isComplete),
    schedule: batch.schedule === undefined ? state.schedule : batch.schedule,
    isCurrent: batch.isCurrent,
    change: batch.isCurrent ? batch.change : state.change,
    began: batch.began ?? state.began,
  };
}

export interface StoredState extends CopyState {
  readonly organization: string;
  readonly timezone: string;
  readonly historyFrom: number | null;
  /** Whether the file holds nothing of deleted rows. */
  readonly isCompact: boolean;
}

export async function stateOf(run: Run, area: FollowedArea): Promise<StoredState> {
  const [row] = await run(
    `SELECT cursor, reading, schedule, timezone, is_complete AS "isComplete", is_current AS "isCurrent", is_compact AS "isCompact",
       organization_id AS organization, CAST(change AS float8) AS change, CAST(began AS float8) AS began,
       CAST(history_from AS float8) AS "historyFrom" FROM cxp_follow_state WHERE area = $1`,
    [area.name],
  );
  if (!row) throw new CommandError(`there is no copy of ${area.name}`);
  return row as unknown as StoredState;
}

/** After these reasons only the key and numbers of a row stay. After a `resync` it is unknown whether the row was erased. */
export const ERASING = ['erased', 'expired', 'resync'];
export const isErasing = ({ reason }: StoredChange) => ERASING.includes(reason ?? '');

/** Compares keys. The first column is never null: an index finds the rows by it. */
export function isSameKey({ keyColumns }: FollowedArea): string {
  const isSame = (place: number) => (place === 0 ? '=' : 'IS NOT DISTINCT FROM');
  return keyColumns.map(({ name }, place) => `held.${name} ${isSame(place)} batch.${name}`).join(' AND ');
}

/** @param isCompared compares the content, too: it may differ under the same number */
export function isSameRow({ extraColumn }: FollowedArea, isCompared: boolean): string {
  const columns = ['change', 'digest', extraColumn.name, ...(isCompared ? ['"row"'] : [])];
  return `batch.op = 'upsert' AND ${columns.map((name) => `held.${name} = batch.${name}`).join(' AND ')}`;
}

/**
 * The number from which on a row of a batch has its content. A row older than the copy changed at the reading's beginning, for
 * instance by another schedule.
 */
export function sinceOf(from: CopyState, next: CopyState): string {
  return `CASE WHEN batch.change > ${from.change} THEN batch.change ELSE greatest(batch.change, ${next.began}) END`;
}

/** One of the databases answers JSON as text. */
export function parsed(row: unknown): CopiedRow['row'] | null {
  return (typeof row === 'string' ? JSON.parse(row) : row) as CopiedRow['row'] | null;
}

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
