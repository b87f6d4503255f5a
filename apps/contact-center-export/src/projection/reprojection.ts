import type { DataSource, EntityManager } from 'typeorm';
import { ChangeRepository } from '@cxp/change-feed';
import { withIntakeTurn } from '@cxp/record-intake';
import { ConversationSessionRepository } from '../conversation-sessions/conversation-session.repository';
import { contactCenterDatabase } from '../database';
import { ConversationRepository } from '../records/conversation.repository';
import { Projection } from './projection';

/** Conversations of one transaction: the intakes of the organization wait for no more than these. */
const CHUNK_CONVERSATIONS = 500;

/** How long a reader waits for rows of the previous release to be numbered, in milliseconds. */
const PATIENCE = { turnMs: 1_000, lockMs: 1_000 };

export interface ReprojectionResult {
  readonly conversations: number;
  /** Conversations that have other rows than before. */
  readonly changed: number;
}

/**
 * Derives all rows of an organization again from their records, some conversations at a time, under the lock of its intakes. Rows
 * with the same result keep their numbers.
 */
export async function reproject(
  dataSource: DataSource,
  organizationId: string,
  onProgress: (result: ReprojectionResult) => void = () => undefined,
): Promise<ReprojectionResult> {
  let result = { conversations: 0, changed: 0 };
  for (let after = ''; ;) {
    const conversations = new ConversationRepository(dataSource.manager);
    const ids = await conversations.idsAfter(organizationId, after, CHUNK_CONVERSATIONS);
    const last = ids.at(-1);
    if (last === undefined) return result;
    const changed = await inTurn(dataSource, organizationId, { turnMs: 0, lockMs: 0 }, (manager) =>
      new Projection(manager).renew(organizationId, ids),
    );
    result = { conversations: result.conversations + ids.length, changed: result.changed + changed };
    onProgress(result);
    after = last;
  }
}

/** Numbers what the previous release changed: it knows no numbers. */
export async function numberPreviousRelease(dataSource: DataSource, organizationId: string): Promise<void> {
  for (let isDone = false; !isDone;) {
    isDone = await inTurn(dataSource, organizationId, PATIENCE, async (manager) => {
      const sessions = new ConversationSessionRepository(manager);
      const ids = await sessions.unnumberedConversations(organizationId, CHUNK_CONVERSATIONS);
      await new ChangeRepository(manager, contactCenterDatabase.schema).numberUnnumberedRemovals(
        organizationId,
      );
      await new Projection(manager).renew(organizationId, ids);
      return ids.length === 0;
    });
  }
}

function inTurn<Result>(
  dataSource: DataSource,
  organizationId: string,
  patience: { readonly turnMs: number; readonly lockMs: number },
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return withIntakeTurn(dataSource, contactCenterDatabase.name, organizationId, work, patience);
}
