import { newestByKey, type ConversationData } from '@cxp/platform-records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { instant, instantOrNull } from './instant';
import { RecordTable, type Stored } from './record-table';

const CONVERSATIONS = new RecordTable<ReturnType<typeof toRow>>({
  name: 'contact_center.conversation',
  columns: {
    id: 'text',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    closed_at: 'timestamptz',
    customer_filum_id: 'text',
    customer_name: 'text',
    customer_phone: 'text',
    customer_email: 'text',
  },
  returned: [],
  versioned: 'conversation',
});

@Injectable()
export class ConversationRepository {
  constructor(private readonly manager: EntityManager) {}

  /** The organizations that have a conversation. */
  async organizations(): Promise<string[]> {
    // One step of the index for each organization: to read it as a whole would take as long as there are conversations.
    const found = await this.manager.query<{ organization_id: string }[]>(
      `WITH RECURSIVE organization AS (
         SELECT min(organization_id) AS organization_id FROM contact_center.conversation
         UNION ALL
         SELECT (
           SELECT min(organization_id) FROM contact_center.conversation
           WHERE organization_id > organization.organization_id
         )
         FROM organization WHERE organization_id IS NOT NULL
       )
       SELECT organization_id FROM organization WHERE organization_id IS NOT NULL`,
    );
    return found.map(({ organization_id }) => organization_id);
  }

  /** At most `limit` ids after another one, in their order. */
  async idsAfter(organizationId: string, id: string, limit: number): Promise<string[]> {
    const found = await this.manager.query<{ id: string }[]>(
      'SELECT id FROM contact_center.conversation WHERE organization_id = $1 AND id > $2 ORDER BY id LIMIT $3',
      [organizationId, id, limit],
    );
    return found.map(({ id }) => id);
  }

  async store(organizationId: string, records: readonly ConversationData[]): Promise<Stored> {
    const newest = newestByKey(
      records,
      ({ id }) => id,
      ({ updatedAt }) => Date.parse(updatedAt),
    );
    const { written } = await CONVERSATIONS.store(this.manager, organizationId, newest.map(toRow));
    return { touched: written.map(({ id }) => id), growth: [] };
  }
}

function toRow({ id, createdAt, updatedAt, closedAt, customer }: ConversationData) {
  return {
    id,
    created_at: instant(createdAt),
    updated_at: instant(updatedAt),
    closed_at: instantOrNull(closedAt),
    customer_filum_id: customer?.filumId ?? '',
    customer_name: customer?.name ?? '',
    customer_phone: customer?.phone ?? '',
    customer_email: customer?.email ?? '',
  };
}
