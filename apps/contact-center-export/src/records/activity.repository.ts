import type { EntityManager } from 'typeorm';
import { SESSION_ACTIONS } from '../derivation';
import { lastByKey } from './latest-by-key';
import type { ActivityData } from './record-data';

export class ActivityRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** @returns the ids of the conversations whose rows can have changed */
  async store(records: readonly ActivityData[]): Promise<string[]> {
    const activities = lastByKey(records).map(({ id, conversationId, action, occurredAt, agent }) => ({
      id,
      conversation_id: conversationId,
      action,
      occurred_at: Date.parse(occurredAt),
      agent_account_id: agent?.accountId,
      agent_email: agent && (agent.email ?? ''),
      agent_name: agent && (agent.name ?? ''),
      agent_is_service_account: agent && (agent.isServiceAccount ?? false),
    }));
    const touched = await this.manager.query<{ conversation_id: string }[]>(
      `WITH record AS (
         SELECT * FROM json_to_recordset($2) AS record (
           id text, conversation_id text, action text, occurred_at float8,
           agent_account_id bigint, agent_email text, agent_name text, agent_is_service_account boolean
         )
       ), stored AS (
         INSERT INTO contact_center.activity (
           organization_id, id, conversation_id, action, occurred_at,
           agent_account_id, agent_email, agent_name, agent_is_service_account
         )
         SELECT $1, id, conversation_id, action, to_timestamp(occurred_at / 1000),
           agent_account_id, agent_email, agent_name, agent_is_service_account
         FROM record
         ON CONFLICT (organization_id, id) DO UPDATE SET
           conversation_id = excluded.conversation_id,
           action = excluded.action,
           occurred_at = excluded.occurred_at,
           agent_account_id = excluded.agent_account_id,
           agent_email = excluded.agent_email,
           agent_name = excluded.agent_name,
           agent_is_service_account = excluded.agent_is_service_account
       )
       SELECT conversation_id FROM record WHERE action = ANY ($3)
       UNION
       SELECT replaced.conversation_id
       FROM record CROSS JOIN LATERAL (
         SELECT * FROM contact_center.activity WHERE organization_id = $1 AND id = record.id OFFSET 0
       ) AS replaced
       WHERE replaced.action = ANY ($3)`,
      [this.organizationId, JSON.stringify(activities), SESSION_ACTIONS],
    );
    return touched.map(({ conversation_id }) => conversation_id);
  }
}
