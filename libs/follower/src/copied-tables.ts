import type { Run } from './database';
import { CommandError } from './errors';
import type { CopiedRow, FollowedArea, FollowedChange } from './followed-area';
import type { CopyState } from './follower';

export interface StoredState extends CopyState {
  readonly organization: string;
  readonly timezone: string;
  readonly historyFrom: number | null;
  /** Whether nothing of deleted rows is left in a file. */
  readonly isCompact: boolean;
}

export async function stateOf(run: Run, area: FollowedArea): Promise<StoredState> {
  const [row] = await run('SELECT * FROM cxp_follow_state WHERE area = $1', [area.name]);
  if (!row) throw new CommandError(`there is no copy of ${area.name}`);
  return {
    cursor: row.cursor as string | null,
    reading: row.reading as number,
    isComplete: row.is_complete as boolean,
    isCurrent: row.is_current as boolean,
    schedule: row.schedule as string | null,
    change: Number(row.change),
    began: Number(row.began),
    organization: row.organization_id as string,
    timezone: row.timezone as string,
    isCompact: row.is_compact as boolean,
    historyFrom: row.history_from === null ? null : Number(row.history_from),
  };
}

/** Of rows that are gone for such a reason nothing is left but the key and numbers. After a `resync` nobody knows whether they were erased. */
export const ERASING = ['erased', 'expired', 'resync'];
export const isErasing = ({ reason }: FollowedChange) => ERASING.includes(reason ?? '');

/** SQL: whether a row of the batch has the key of one that is held. The first column is never null: by it an index finds the rows. */
export function isSameKey({ keyColumns }: FollowedArea): string {
  const isSame = (place: number) => (place === 0 ? '=' : 'IS NOT DISTINCT FROM');
  return keyColumns.map(({ name }, place) => `held.${name} ${isSame(place)} batch.${name}`).join(' AND ');
}

/** SQL: whether the batch says of a row what the copy holds. @param isCompared its content, too: where it may be another one under the same number */
export function isSameRow({ extraColumn }: FollowedArea, isCompared: boolean): string {
  const columns = ['change', 'digest', extraColumn.name, ...(isCompared ? ['"row"'] : [])];
  return `batch.op = 'upsert' AND ${columns.map((name) => `held.${name} = batch.${name}`).join(' AND ')}`;
}

/**
 * SQL: the number from which on a row of a batch looks as it does. Rows with earlier numbers than the copy has look otherwise since the
 * reading began, for instance by another schedule.
 */
export function sinceOf(from: CopyState, next: CopyState): string {
  return `CASE WHEN batch.change > ${from.change} THEN batch.change ELSE greatest(batch.change, ${next.began}) END`;
}

/** JSON, which one of the databases answers as text. */
export function parsed(row: unknown): CopiedRow['row'] | null {
  return (typeof row === 'string' ? JSON.parse(row) : row) as CopiedRow['row'] | null;
}
