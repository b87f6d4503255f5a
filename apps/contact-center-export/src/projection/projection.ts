import type { EntityManager } from 'typeorm';
import {
  ConversationSessionRepository,
  type DigestedRow,
  digestRow,
  type Numbering,
  type ProjectedRow,
} from '../conversation-sessions/conversation-session.repository';
import { SessionCountChanges } from '../conversation-sessions/session-count.repository';
import { deriveRows } from '../derivation';
import {
  ConversationRecordsReadModel,
  type StoredConversation,
} from '../records/conversation-records.read-model';

/** Conversations that are read, derived and written by one round of statements. */
const CHUNK_CONVERSATIONS = 500;

/** Changes of counts that are held in memory. */
const MAX_COUNT_CHANGES = 10_000;

/**
 * Derives the rows of conversations from their records. It has to run in the transaction that changed the records, and
 * under the organization's intake lock: then the rows fit the records at every moment.
 */
export class Projection {
  private readonly records: ConversationRecordsReadModel;
  private readonly sessions: ConversationSessionRepository;
  private numbersFollow = false;

  constructor(manager: EntityManager) {
    this.records = new ConversationRecordsReadModel(manager);
    this.sessions = new ConversationSessionRepository(manager);
  }

  /**
   * Projects conversations at the end of the transaction that touched them, and numbers the changes. A conversation whose own
   * record has not arrived has no rows.
   * @returns how many of the conversations have other rows than before
   */
  async renew(organizationId: string, conversationIds: readonly string[]): Promise<number> {
    const isOneCall = conversationIds.length <= CHUNK_CONVERSATIONS;
    // If nothing can be removed, no removal needs a lower number than the upserts of a call before it.
    const numbered =
      !this.numbersFollow && (isOneCall || !(await this.sessions.haveRows(organizationId, conversationIds)));
    if (numbered) return this.project(organizationId, conversationIds, 'now');
    const changed = await this.project(organizationId, conversationIds, 'later');
    await this.sessions.numberUnnumbered(organizationId);
    return changed;
  }

  /** Projects conversations while the transaction goes on. `renew` has to follow, and numbers the changes. */
  async renewEarly(organizationId: string, conversationIds: readonly string[]): Promise<void> {
    this.numbersFollow = true;
    await this.project(organizationId, conversationIds, 'later');
  }

  private async project(
    organizationId: string,
    conversationIds: readonly string[],
    numbering: Numbering,
  ): Promise<number> {
    let changed = 0;
    let counts = new SessionCountChanges();
    for await (const { ids, rows } of this.rowsOf(organizationId, conversationIds)) {
      changed += await this.sessions.replace(organizationId, ids, rows, numbering, counts);
      if (counts.size < MAX_COUNT_CHANGES) continue;
      await this.sessions.addToCounts(organizationId, counts);
      counts = new SessionCountChanges();
    }
    await this.sessions.addToCounts(organizationId, counts);
    return changed;
  }

  /** PostgreSQL reads the records of the next conversations while the rows of some are derived. */
  private async *rowsOf(
    organizationId: string,
    conversationIds: readonly string[],
  ): AsyncGenerator<{ readonly ids: readonly string[]; readonly rows: readonly DigestedRow[] }> {
    const read = async (start: number) => {
      const ids = conversationIds.slice(start, start + CHUNK_CONVERSATIONS);
      const isOver = ids.length === 0;
      return { ids, conversations: isOver ? [] : await this.records.ofConversations(organizationId, ids) };
    };
    let next = await read(0);
    for (let end = CHUNK_CONVERSATIONS; next.ids.length > 0; end += CHUNK_CONVERSATIONS) {
      const { ids, conversations } = next;
      const reading = read(end);
      const rows = conversations.flatMap(projectRows).map(digestRow);
      // A connection runs one statement at a time.
      next = await reading;
      yield { ids, rows };
    }
  }
}

/** The rows of one conversation, each with the agent that it is filtered by. */
export function projectRows(conversation: StoredConversation): ProjectedRow[] {
  const assignees = new Map(conversation.tickets.map(({ id, assigneeAccountId }) => [id, assigneeAccountId]));
  return [...deriveRows(conversation)].map((session) => ({
    conversationUpdatedAt: conversation.updatedAt,
    agent: {
      email: session.sessionAgentEmail.toLowerCase(),
      accountId:
        session.sessionIndex === null
          ? (assignees.get(session.ticketId!) ?? null)
          : session.sessionAgentAccountId,
    },
    session,
  }));
}
