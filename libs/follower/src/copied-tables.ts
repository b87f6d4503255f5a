import type { ChangeBatch } from '@cxp/client';
import type { Run } from './database';
import { CommandError } from './errors';
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
