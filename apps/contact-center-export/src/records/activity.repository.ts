import { type ActivityData, lastByKey } from '@cxp/platform-records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { SESSION_ACTIONS } from '../derivation';
import { instant } from './instant';
import { RecordTable, type Stored } from './record-table';

const ACTIVITIES = new RecordTable<ReturnType<typeof toRow>, 'conversation_id' | 'action'>({
  name: 'contact_center.activity',
  columns: {
    id: 'text',
    conversation_id: 'text',
    action: 'text',
    occurred_at: 'timestamptz',
    agent_account_id: 'bigint',
    agent_email: 'text',
    agent_name: 'text',
    agent_is_service_account: 'boolean',
  },
  returned: ['conversation_id', 'action'],
});

const SESSION_ACTION_NAMES: ReadonlySet<string> = new Set(SESSION_ACTIONS);

@Injectable()
export class ActivityRepository {
  constructor(private readonly manager: EntityManager) {}

  async store(organizationId: string, records: readonly ActivityData[]): Promise<Stored> {
    const rows = lastByKey(records, ({ id }) => id).map(toRow);
    const { written, replaced, growth } = await ACTIVITIES.store(this.manager, organizationId, rows);
    const touched = [...written, ...replaced]
      .filter(({ action }) => SESSION_ACTION_NAMES.has(action))
      .map(({ conversation_id }) => conversation_id);
    return { touched, growth };
  }
}

function toRow({ id, conversationId, action, occurredAt, agent }: ActivityData) {
  return {
    id,
    conversation_id: conversationId,
    action,
    occurred_at: instant(occurredAt),
    agent_account_id: agent?.accountId ?? null,
    agent_email: agent ? (agent.email ?? '') : null,
    agent_name: agent ? (agent.name ?? '') : null,
    agent_is_service_account: agent ? (agent.isServiceAccount ?? false) : null,
  };
}
