import type { EntityManager } from 'typeorm';
import { ConversationRecordsReadModel } from './conversation-records.read-model';
import { ConversationSessionRepository } from './conversation-session.repository';
import { projectRows } from './projected-row';

/** Conversations that are read, derived and written by one round of statements. */
const CHUNK_CONVERSATIONS = 500;

/**
 * Turns what is known of conversations into the rows that are answered. It has to run in the transaction that changed
 * the records, and under the organization's intake lock: then the rows are those of the records at every moment.
 */
export class Projection {
  private readonly records: ConversationRecordsReadModel;
  private readonly sessions: ConversationSessionRepository;

  constructor(manager: EntityManager, organizationId: string) {
    this.records = new ConversationRecordsReadModel(manager, organizationId);
    this.sessions = new ConversationSessionRepository(manager, organizationId);
  }

  /** Replaces the rows of the conversations. One whose own record has not arrived has none. */
  async renew(conversationIds: readonly string[]): Promise<void> {
    for (let start = 0; start < conversationIds.length; start += CHUNK_CONVERSATIONS) {
      const ids = conversationIds.slice(start, start + CHUNK_CONVERSATIONS);
      const conversations = await this.records.ofConversations(ids);
      await this.sessions.replace(ids, conversations.flatMap(projectRows));
    }
  }
}
