import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { StoredRow } from './row-presenter';
import type { RowPosition } from './row-cursor';
import type { SessionFilter } from './session-filter';

/** A row and where it stands. */
export type PlacedRow = StoredRow & RowPosition;

const COLUMNS = `
  row.document::text AS document,
  ${milliseconds('row.bot_handoff_at')} AS "botHandoffAt",
  ${milliseconds('row.first_agent_assigned_at')} AS "firstAgentAssignedAt",
  ${milliseconds('row.first_agent_message_at')} AS "firstAgentMessageAt",
  ${milliseconds('row.conversation_resolved_at')} AS "conversationResolvedAt",
  ${milliseconds('row.conversation_updated_at')} AS "updatedAt",
  row.conversation_id AS "conversationId",
  row.session_index AS "sessionIndex",
  row.ticket_id AS "ticketId"`;

const ORDER = 'row.conversation_updated_at, row.conversation_id, row.session_index, row.ticket_id';

/** Ready rows of one organization, in the order of the export, where pages by number don't come into it. */
@Injectable()
export class ConversationSessionReadModel {
  constructor(private readonly dataSource: DataSource) {}

  /** So many rows after a position in the order. */
  async after(
    organizationId: string,
    filter: SessionFilter,
    position: RowPosition,
    limit: number,
  ): Promise<PlacedRow[]> {
    // Found first: by the ids themselves PostgreSQL knows how rare their rows are, and which index leads to them.
    const agentIds = await this.agentIds(organizationId, filter);
    return this.dataSource.query(
      `SELECT ${COLUMNS} FROM contact_center.conversation_session AS row
       WHERE row.organization_id = $1
         AND row.conversation_updated_at >= $2 AND row.conversation_updated_at < $3
         AND (${ORDER}) > ($4, $5, $6, $7)
         AND ($8::integer[] IS NULL OR row.agent_id = ANY ($8))
         AND ($9::text[] IS NULL OR row.session_end_reason = ANY ($9))
       ORDER BY ${ORDER} LIMIT $10`,
      [
        organizationId,
        new Date(filter.startsAt),
        new Date(filter.endsAt),
        new Date(position.updatedAt),
        position.conversationId,
        position.sessionIndex,
        position.ticketId,
        agentIds,
        filter.endReasons,
        limit,
      ],
    );
  }

  /** @returns every row of a conversation; undefined when the organization has no such conversation */
  async ofConversation(organizationId: string, conversationId: string): Promise<PlacedRow[] | undefined> {
    const rows: (PlacedRow & { document: string | null })[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM contact_center.conversation
       LEFT JOIN contact_center.conversation_session AS row
         ON row.organization_id = conversation.organization_id AND row.conversation_id = conversation.id
       WHERE conversation.organization_id = $1 AND conversation.id = $2 ORDER BY ${ORDER}`,
      [organizationId, conversationId],
    );
    // A conversation without rows comes as one row of nulls.
    return rows.length > 0 ? rows.filter(({ document }) => document !== null) : undefined;
  }

  /** @returns undefined when the filter lets everybody's rows through */
  private async agentIds(
    organizationId: string,
    { agentEmails, accountIds }: SessionFilter,
  ): Promise<number[] | undefined> {
    if (!agentEmails && !accountIds) return undefined;
    const agents: { id: number }[] = await this.dataSource.query(
      `SELECT agent_id AS id FROM contact_center.session_agent
       WHERE organization_id = $1
         AND ($2::text[] IS NULL OR email = ANY ($2)) AND ($3::bigint[] IS NULL OR account_id = ANY ($3))`,
      [organizationId, agentEmails, accountIds],
    );
    return agents.map(({ id }) => id);
  }
}

/** A column's time in milliseconds since 1970. */
function milliseconds(column: string): string {
  return `round(date_part('epoch', ${column}) * 1000)`;
}
