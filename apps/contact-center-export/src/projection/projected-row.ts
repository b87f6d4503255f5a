import { type ConversationSessionRow, deriveRows } from '../derivation';
import type { StoredConversation } from './conversation-records.read-model';
import type { SessionAgent } from './session-agent.repository';

/** A row that is ready to be answered, with what it is found, ordered and counted by. */
export interface ProjectedRow {
  readonly conversationUpdatedAt: number;
  readonly agent: SessionAgent;
  readonly session: ConversationSessionRow;
}

export function projectRows(conversation: StoredConversation): ProjectedRow[] {
  const assignees = new Map(conversation.tickets.map(({ id, assigneeAccountId }) => [id, assigneeAccountId]));
  return deriveRows(conversation).map((session) => ({
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
