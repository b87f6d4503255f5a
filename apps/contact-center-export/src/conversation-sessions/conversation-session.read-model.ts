import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { StoredRow } from './row-presenter';
import type { RowPosition } from './row-cursor';
import {
  iso,
  milliseconds,
  Parameters,
  rowConditions,
  SessionCountReadModel,
  type RowFilter,
} from './session-count.read-model';
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

/** Ready rows of one organization, in the order of the export. */
@Injectable()
export class ConversationSessionReadModel {
  constructor(private readonly dataSource: DataSource) {}

  /** `limit` rows from `offset` on, and the total, of one moment. */
  page(
    organizationId: string,
    filter: SessionFilter,
    offset: number,
    limit: number,
  ): Promise<{ total: number; rows: PlacedRow[] }> {
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => {
      const rowFilter = await this.resolveAgents(manager, organizationId, filter);
      const counts = new SessionCountReadModel(manager, organizationId, rowFilter);
      const { total, place } = await counts.place(offset, limit);
      if (!place) return { total, rows: [] };
      const parameters = new Parameters([organizationId]);
      const rows: PlacedRow[] = await manager.query(
        `SELECT ${COLUMNS} FROM contact_center.conversation_session AS row
         WHERE ${rowConditions(parameters, { ...rowFilter, from: place.from, until: place.until })}
         ORDER BY ${ORDER} OFFSET ${place.skip} LIMIT ${limit}`,
        parameters.values,
      );
      return { total, rows };
    });
  }

  async total(organizationId: string, filter: SessionFilter): Promise<number> {
    const { manager } = this.dataSource;
    const rowFilter = await this.resolveAgents(manager, organizationId, filter);
    return new SessionCountReadModel(manager, organizationId, rowFilter).total();
  }

  /** The `limit` rows after a position; the first ones without. */
  async after(
    organizationId: string,
    filter: SessionFilter,
    position: RowPosition | undefined,
    limit: number,
  ): Promise<PlacedRow[]> {
    const rowFilter = await this.resolveAgents(this.dataSource.manager, organizationId, filter);
    const parameters = new Parameters([organizationId]);
    const conditions = rowConditions(parameters, rowFilter);
    const isAfter = position
      ? `AND (${ORDER}) > (${[
          parameters.add(iso(position.updatedAt)),
          parameters.add(position.conversationId),
          parameters.add(position.sessionIndex),
          parameters.add(position.ticketId),
        ].join(', ')})`
      : '';
    return this.dataSource.query(
      `SELECT ${COLUMNS} FROM contact_center.conversation_session AS row
       WHERE ${conditions} ${isAfter} ORDER BY ${ORDER} LIMIT ${limit}`,
      parameters.values,
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

  private async resolveAgents(
    manager: EntityManager,
    organizationId: string,
    { agentEmails, assigneeAccountIds, ...rest }: SessionFilter,
  ): Promise<RowFilter> {
    if (!agentEmails && !assigneeAccountIds) return rest;
    const agents: { id: number }[] = await manager.query(
      `SELECT agent_id AS id FROM contact_center.session_agent
       WHERE organization_id = $1
         AND ($2::text[] IS NULL OR email = ANY ($2)) AND ($3::bigint[] IS NULL OR account_id = ANY ($3))`,
      [organizationId, agentEmails, assigneeAccountIds],
    );
    return { ...rest, agentIds: agents.map(({ id }) => id) };
  }
}
