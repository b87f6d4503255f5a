import type { EntityManager } from 'typeorm';
import { newestByKey } from './latest-by-key';
import { type TicketData, milliseconds } from './record-data';

export class TicketRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** @returns the ids of the conversations whose rows can have changed */
  async store(records: readonly TicketData[]): Promise<string[]> {
    const touched = await this.manager.query<{ conversation_id: string }[]>(
      `WITH record AS (
         SELECT * FROM json_to_recordset($2) AS record (
           id bigint, conversation_id text, assignee_account_id bigint, created_at float8, updated_at float8,
           subject text, description text, status text, priority text,
           due_date float8, assigned_at float8, resolved_at float8,
           installed_source_id bigint, installed_source_name text, channel_type text, custom_fields json
         )
       ), stored AS (
         INSERT INTO contact_center.ticket AS stored (
           organization_id, id, conversation_id, assignee_account_id, created_at, updated_at,
           subject, description, status, priority, due_date, assigned_at, resolved_at,
           installed_source_id, installed_source_name, channel_type, custom_fields
         )
         SELECT $1, id, conversation_id, assignee_account_id,
           to_timestamp(created_at / 1000), to_timestamp(updated_at / 1000),
           subject, description, status, priority,
           to_timestamp(due_date / 1000), to_timestamp(assigned_at / 1000), to_timestamp(resolved_at / 1000),
           installed_source_id, installed_source_name, channel_type, custom_fields
         FROM record
         ON CONFLICT (organization_id, id) DO UPDATE SET
           conversation_id = excluded.conversation_id,
           assignee_account_id = excluded.assignee_account_id,
           created_at = excluded.created_at,
           updated_at = excluded.updated_at,
           subject = excluded.subject,
           description = excluded.description,
           status = excluded.status,
           priority = excluded.priority,
           due_date = excluded.due_date,
           assigned_at = excluded.assigned_at,
           resolved_at = excluded.resolved_at,
           installed_source_id = excluded.installed_source_id,
           installed_source_name = excluded.installed_source_name,
           channel_type = excluded.channel_type,
           custom_fields = excluded.custom_fields
         WHERE stored.updated_at <= excluded.updated_at
         RETURNING id, conversation_id
       )
       SELECT conversation_id FROM stored
       UNION
       SELECT replaced.conversation_id
       FROM stored CROSS JOIN LATERAL (
         SELECT * FROM contact_center.ticket WHERE organization_id = $1 AND id = stored.id OFFSET 0
       ) AS replaced`,
      [this.organizationId, JSON.stringify(newestByKey(records.map(toRow)))],
    );
    return touched.map(({ conversation_id }) => conversation_id);
  }
}

function toRow(ticket: TicketData) {
  return {
    id: ticket.id,
    conversation_id: ticket.conversationId,
    assignee_account_id: ticket.assigneeAccountId,
    created_at: Date.parse(ticket.createdAt),
    updated_at: Date.parse(ticket.updatedAt),
    subject: ticket.subject ?? '',
    description: ticket.description ?? '',
    status: ticket.status ?? '',
    priority: ticket.priority ?? '',
    due_date: milliseconds(ticket.dueDate),
    assigned_at: milliseconds(ticket.assignedAt),
    resolved_at: milliseconds(ticket.resolvedAt),
    installed_source_id: ticket.installedSourceId,
    installed_source_name: ticket.installedSourceName ?? '',
    channel_type: ticket.channelType ?? '',
    custom_fields: ticket.customFields ?? {},
  };
}
