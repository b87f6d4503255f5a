import type { EntityManager } from 'typeorm';
import { copyRows } from './copy-rows';
import type { ProjectedRow } from './projected-row';
import { SessionAgentRepository } from './session-agent.repository';
import { type CountedRow, SessionCountRepository } from './session-count.repository';

/** Stand in a row's key for a session index or ticket id that is null; see the table. */
const NO_SESSION = 2_147_483_647;
const NO_TICKET = '-9223372036854775808';

const COLUMNS = [
  'organization_id',
  'conversation_updated_at',
  'conversation_id',
  'session_index',
  'ticket_id',
  'agent_id',
  'session_end_reason',
  'bot_handoff_at',
  'first_agent_assigned_at',
  'first_agent_message_at',
  'conversation_resolved_at',
  'document',
];

export class ConversationSessionRepository {
  private readonly agents: SessionAgentRepository;
  private readonly counts: SessionCountRepository;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {
    this.agents = new SessionAgentRepository(manager, organizationId);
    this.counts = new SessionCountRepository(manager, organizationId);
  }

  /** Makes the rows those of the conversations, and keeps the counts true. */
  async replace(conversationIds: readonly string[], rows: readonly ProjectedRow[]): Promise<void> {
    const gone = await this.removeAll(conversationIds);
    const added = await this.insert(rows);
    await this.counts.change(gone, added);
  }

  private async removeAll(conversationIds: readonly string[]): Promise<CountedRow[]> {
    const [gone] = await this.manager.query<[CountedRow[], number]>(
      `DELETE FROM contact_center.conversation_session
       WHERE organization_id = $1 AND conversation_id = ANY ($2)
       RETURNING agent_id, session_end_reason,
         round(date_part('epoch', conversation_updated_at) * 1000) AS conversation_updated_at`,
      [this.organizationId, conversationIds],
    );
    return gone;
  }

  private async insert(projected: readonly ProjectedRow[]): Promise<CountedRow[]> {
    if (projected.length === 0) return [];
    const idOf = await this.agents.idsOf(projected.map(({ agent }) => agent));
    const organizationId = this.organizationId;
    await copyRows(
      this.manager,
      'contact_center.conversation_session',
      COLUMNS,
      projected.map(({ conversationUpdatedAt, agent, session }) => [
        organizationId,
        new Date(conversationUpdatedAt).toISOString(),
        session.conversationId,
        session.sessionIndex ?? NO_SESSION,
        session.ticketId ?? NO_TICKET,
        idOf(agent),
        session.sessionEndReason,
        session.botHandoffAt,
        session.firstAgentAssignedAt,
        session.firstAgentMessageAt,
        session.conversationResolvedAt,
        JSON.stringify(session),
      ]),
    );
    return projected.map(({ conversationUpdatedAt, agent, session }) => ({
      agent_id: idOf(agent),
      session_end_reason: session.sessionEndReason,
      conversation_updated_at: conversationUpdatedAt,
    }));
  }
}
