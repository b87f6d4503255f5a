import { newestByKey, type TicketData } from '@cxp/platform-records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { instant, instantOrNull } from './instant';
import { RecordTable, type Stored } from './record-table';

const TICKETS = new RecordTable<ReturnType<typeof toRow>, 'conversation_id'>({
  name: 'contact_center.ticket',
  columns: {
    id: 'bigint',
    conversation_id: 'text',
    assignee_account_id: 'bigint',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    subject: 'text',
    description: 'text',
    status: 'text',
    priority: 'text',
    due_date: 'timestamptz',
    assigned_at: 'timestamptz',
    resolved_at: 'timestamptz',
    installed_source_id: 'bigint',
    installed_source_name: 'text',
    channel_type: 'text',
    custom_fields: 'json',
  },
  returned: ['conversation_id'],
  versioned: 'ticket',
});

@Injectable()
export class TicketRepository {
  constructor(private readonly manager: EntityManager) {}

  async store(organizationId: string, records: readonly TicketData[]): Promise<Stored> {
    const newest = newestByKey(
      records,
      ({ id }) => id,
      ({ updatedAt }) => Date.parse(updatedAt),
    );
    const { written, replaced, growth } = await TICKETS.store(
      this.manager,
      organizationId,
      newest.map(toRow),
    );
    const touched = [...written, ...replaced].map(({ conversation_id }) => conversation_id);
    return { touched, growth };
  }
}

function toRow(ticket: TicketData) {
  return {
    id: ticket.id,
    conversation_id: ticket.conversationId,
    assignee_account_id: ticket.assigneeAccountId ?? null,
    created_at: instant(ticket.createdAt),
    updated_at: instant(ticket.updatedAt),
    subject: ticket.subject ?? '',
    description: ticket.description ?? '',
    status: ticket.status ?? '',
    priority: ticket.priority ?? '',
    due_date: instantOrNull(ticket.dueDate),
    assigned_at: instantOrNull(ticket.assignedAt),
    resolved_at: instantOrNull(ticket.resolvedAt),
    installed_source_id: ticket.installedSourceId ?? null,
    installed_source_name: ticket.installedSourceName ?? '',
    channel_type: ticket.channelType ?? '',
    custom_fields: JSON.stringify(ticket.customFields ?? {}),
  };
}
