import type { ChangeBatch } from '@cxp/client';
import type { CopiedRow, FollowedChange } from './followed-area';

/** How far a copy has come. */
export interface CopyState {
  readonly cursor: string | null;
  /** Counts the readings from the beginning. */
  readonly reading: number;
  /** Whether the reading has come to its end once: then the copy holds no rows of earlier readings. */
  readonly isComplete: boolean;
}

/** A copy of one area's rows, wherever the follower keeps it. It may be killed at any time, and opened again. */
export interface Copy {
  /** What messages call it. */
  readonly name: string;
  /** @throws CommandError if it is a copy of something else */
  open(): Promise<CopyState>;
  /**
   * Takes the changes and the cursor, and keeps both or none: at the latest with the batch that is current. When a reading comes to its
   * end, the rows that it did not find are removed.
   * @throws CommandError if another follower writes to it
   */
  store(state: CopyState, batch: ChangeBatch<FollowedChange>): Promise<CopyState>;
  /** Stores changes without moving the cursor: rows that are newer than it are found again, and are the same then. */
  mend(state: CopyState, items: readonly FollowedChange[]): Promise<void>;
  count(): Promise<number>;
  /** All rows, some thousands in memory at once. */
  rows(): AsyncGenerator<CopiedRow & { readonly digest: string }>;
}

/** The state after a batch. */
export function stateAfter(state: CopyState, batch: ChangeBatch<FollowedChange>): CopyState {
  return {
    cursor: batch.cursor,
    reading: state.reading + (batch.startsOver === null ? 0 : 1),
    isComplete: batch.isCurrent || (batch.startsOver === null && state.isComplete),
  };
}
