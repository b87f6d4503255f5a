import type { EntityManager } from 'typeorm';
import { newestByKey } from './latest-by-key';
import { type ConversationData, milliseconds } from './record-data';

export class ConversationRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** @returns the ids of the conversations whose rows can have changed */
  async store(records: readonly ConversationData[]): Promise<string[]> {
    const conversations = newestByKey(
      records.map(({ id, createdAt, updatedAt, closedAt, customer }) => ({
        id,
        created_at: Date.parse(createdAt),
        updated_at: Date.parse(updatedAt),
        closed_at: milliseconds(closedAt),
        customer_filum_id: customer?.filumId ?? '',
        customer_name: customer?.name ?? '',
        customer_phone: customer?.phone ?? '',
        customer_email: customer?.email ?? '',
      })),
    );
    const stored = await this.manager.query<{ id: string }[]>(
      `INSERT INTO contact_center.conversation AS stored (
         organization_id, id, created_at, updated_at, closed_at,
         customer_filum_id, customer_name, customer_phone, customer_email
       )
       SELECT $1, id, to_timestamp(created_at / 1000), to_timestamp(updated_at / 1000), to_timestamp(closed_at / 1000),
         customer_filum_id, customer_name, customer_phone, customer_email
       FROM json_to_recordset($2) AS record (
         id text, created_at float8, updated_at float8, closed_at float8,
         customer_filum_id text, customer_name text, customer_phone text, customer_email text
       )
       ON CONFLICT (organization_id, id) DO UPDATE SET
         created_at = excluded.created_at,
         updated_at = excluded.updated_at,
         closed_at = excluded.closed_at,
         customer_filum_id = excluded.customer_filum_id,
         customer_name = excluded.customer_name,
         customer_phone = excluded.customer_phone,
         customer_email = excluded.customer_email
       WHERE stored.updated_at <= excluded.updated_at
       RETURNING id`,
      [this.organizationId, JSON.stringify(conversations)],
    );
    return stored.map(({ id }) => id);
  }
}
