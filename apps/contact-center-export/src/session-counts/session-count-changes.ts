import { type ConversationSessionRow, SESSION_END_REASONS } from '../derivation';

/** Stretches of time that rows are counted by, in hours; each is whole in the next longer one. */
export const COUNTED_HOURS = [1, 24, 768] as const;

/** Counts of all rows, beside those of each group. */
export const ALL_GROUPS = 0;

/** Blank for a ticket without a session. */
type EndReason = ConversationSessionRow['sessionEndReason'];

/** The columns of counts: rows by end reason. */
export const COUNT_COLUMNS = [...SESSION_END_REASONS, 'without_session'] as const;
type CountColumn = (typeof COUNT_COLUMNS)[number];

export const END_REASONS: readonly EndReason[] = [...SESSION_END_REASONS, ''];

/** The properties of a row that it is counted by. */
interface CountedRow {
  readonly groupId: number;
  readonly endReason: EndReason;
  /** Of the conversation; milliseconds since 1970. */
  readonly updatedAt: number;
  readonly digest: bigint;
}

const HOUR_MS = 60 * 60 * 1000;

/** Counts that are changed by one statement. */
const CHUNK_CHANGES = 2_000;

/** SQL: of a count, the rows of every end reason. */
export const ALL_ROWS = COUNT_COLUMNS.join(' + ');

/** SQL: of a count, the rows of the end reasons that are in an array. */
export function rowsOfEndReasons(endReasons: string): string {
  return END_REASONS.map(
    (endReason) => `CASE WHEN '${endReason}' = ANY (${endReasons}) THEN ${columnOf(endReason)} ELSE 0 END`,
  ).join(' + ');
}

function columnOf(endReason: EndReason): CountColumn {
  return endReason || 'without_session';
}

interface CountChange extends Record<CountColumn, number> {
  readonly group_id: number;
  readonly hours: number;
  readonly starts_at: number;
  /** Only the counts of all rows by the hour do. */
  readonly holdsDigests: boolean;
  digest: bigint;
  /** Greater than every number before it; null if it has to be looked up. */
  last_change: number | null;
}

const NO_ROWS = Object.fromEntries(COUNT_COLUMNS.map((column) => [column, 0])) as Record<CountColumn, number>;

/** What the rows that a transaction removes and adds change of the counts: of all its rows, a count changes once. */
export class SessionCountChanges {
  private readonly changes = new Map<string, CountChange>();

  /** How many counts change. */
  get size(): number {
    return this.changes.size;
  }

  /**
   * @param by 1: the row is added, -1: it is removed
   * @param newChange the number that the row just got; null if it got none
   */
  note(row: CountedRow, by: 1 | -1, newChange: number | null): void {
    for (const group_id of [ALL_GROUPS, row.groupId]) {
      for (const hours of COUNTED_HOURS) {
        const length = hours * HOUR_MS;
        const starts_at = Math.floor(row.updatedAt / length) * length;
        const key = `${group_id} ${hours} ${starts_at}`;
        let change = this.changes.get(key);
        if (!change) {
          const holdsDigests = group_id === ALL_GROUPS && hours === 1;
          change = { group_id, hours, starts_at, holdsDigests, digest: 0n, last_change: null, ...NO_ROWS };
          this.changes.set(key, change);
        }
        change[columnOf(row.endReason)] += by;
        if (!change.holdsDigests) continue;
        change.digest ^= row.digest;
        if (newChange !== null) change.last_change = Math.max(change.last_change ?? 0, newChange);
      }
    }
  }

  /** Those that are added by one statement: the rows of one conversation can change tens of thousands. */
  *inChunks(): Generator<readonly object[], void> {
    let chunk: object[] = [];
    for (const { holdsDigests, digest, ...change } of this.changes.values()) {
      if (!holdsDigests && COUNT_COLUMNS.every((column) => change[column] === 0)) continue;
      chunk.push({ ...change, digest: String(digest) });
      if (chunk.length < CHUNK_CHANGES) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
  }
}
