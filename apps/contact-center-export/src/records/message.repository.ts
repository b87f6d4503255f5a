import type { EntityManager } from 'typeorm';
import { lastByKey } from './latest-by-key';
import type { MessageData } from './record-data';

export class MessageRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** @returns the ids of the conversations whose rows can have changed: only agents' messages count */
  async store(records: readonly MessageData[]): Promise<string[]> {
    const messages = lastByKey(records).map(({ id, conversationId, senderType, sentAt }) => ({
      id,
      conversation_id: conversationId,
      sender_type: senderType,
      sent_at: Date.parse(sentAt),
    }));
    const touched = await this.manager.query<{ conversation_id: string }[]>(
      `WITH record AS (
         SELECT * FROM json_to_recordset($2) AS record (
           id text, conversation_id text, sender_type text, sent_at float8
         )
       ), stored AS (
         INSERT INTO contact_center.message (organization_id, id, conversation_id, sender_type, sent_at)
         SELECT $1, id, conversation_id, sender_type, to_timestamp(sent_at / 1000) FROM record
         ON CONFLICT (organization_id, id) DO UPDATE SET
           conversation_id = excluded.conversation_id,
           sender_type = excluded.sender_type,
           sent_at = excluded.sent_at
       )
       SELECT conversation_id FROM record WHERE sender_type = 'agent'
       UNION
       SELECT replaced.conversation_id
       FROM record CROSS JOIN LATERAL (
         SELECT * FROM contact_center.message WHERE organization_id = $1 AND id = record.id OFFSET 0
       ) AS replaced
       WHERE replaced.sender_type = 'agent'`,
      [this.organizationId, JSON.stringify(messages)],
    );
    return touched.map(({ conversation_id }) => conversation_id);
  }
}
