import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { SenderType } from '../messages/message';
import type { ActivityAgent } from '../activities/activity';

/** A change of a conversation that was committed and not told yet; what it tells of, as it is stored now. */
export interface OutboxChange {
  readonly organizationId: string;
  /** In the order of the changes of a conversation. */
  readonly position: string;
  readonly conversationId: string;
  /** Null: it is gone. */
  readonly conversation: ChangedConversation | null;
  readonly message: ChangedMessage | null;
  readonly activity: ChangedActivity | null;
}

export interface ChangedConversation {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
  readonly userId: string;
  readonly userName: string | null;
  readonly userEmail: string | null;
  readonly userPhone: string | null;
}

export interface ChangedMessage {
  readonly id: string;
  readonly sequence: number;
  readonly senderType: SenderType;
  readonly sentAt: string;
}

export interface ChangedActivity {
  readonly id: string;
  readonly action: string;
  readonly occurredAt: string;
  readonly agent: ActivityAgent | null;
}

/** The one process that relays holds this lock: the changes of a conversation are told in their order. */
const RELAY_LOCK = 0x7772;

@Injectable()
export class OutboxRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Hands over the oldest changes and removes them. When handing over fails, or this process dies, they stay: every
   * change is told at least once.
   * @returns how many there were; none while another process relays
   */
  async relay(limit: number, tell: (changes: readonly OutboxChange[]) => Promise<void>): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const [lock] = await manager.query<{ taken: boolean }[]>(
        'SELECT pg_try_advisory_xact_lock($1, 0) AS taken',
        [RELAY_LOCK],
      );
      if (!lock!.taken) return 0;
      const changes = await this.oldest(manager, limit);
      if (changes.length === 0) return 0;
      await tell(changes);
      await manager.query(
        `DELETE FROM webchat.outbox
         USING unnest($1::text[], $2::bigint[]) AS told (organization_id, position)
         WHERE outbox.organization_id = told.organization_id AND outbox.position = told.position`,
        [changes.map(({ organizationId }) => organizationId), changes.map(({ position }) => position)],
      );
      return changes.length;
    });
  }

  /** Of all organizations: this tells changes on, nobody reads them here. */
  private oldest(manager: EntityManager, limit: number): Promise<OutboxChange[]> {
    return manager.query<OutboxChange[]>(
      `SELECT outbox.organization_id AS "organizationId", outbox.position, outbox.conversation_id AS "conversationId",
         CASE WHEN conversation.id IS NOT NULL THEN json_build_object(
           'createdAt', conversation.created_at, 'updatedAt', conversation.updated_at,
           'closedAt', conversation.closed_at, 'userId', conversation.user_id, 'userName', conversation.user_name,
           'userEmail', conversation.user_email, 'userPhone', conversation.user_phone) END AS conversation,
         CASE WHEN message.id IS NOT NULL THEN json_build_object(
           'id', message.id, 'sequence', message.sequence, 'senderType', message.sender_type,
           'sentAt', message.sent_at) END AS message,
         CASE WHEN activity.id IS NOT NULL THEN json_build_object(
           'id', activity.id, 'action', activity.action, 'occurredAt', activity.occurred_at,
           'agent', activity.agent) END AS activity
       FROM (SELECT * FROM webchat.outbox ORDER BY position LIMIT $1) AS outbox
       LEFT JOIN webchat.conversation
         ON conversation.organization_id = outbox.organization_id AND conversation.id = outbox.conversation_id
       LEFT JOIN webchat.message
         ON message.organization_id = outbox.organization_id AND message.conversation_id = outbox.conversation_id
         AND message.sequence = outbox.message_sequence
       LEFT JOIN webchat.activity
         ON activity.organization_id = outbox.organization_id AND activity.id = outbox.activity_id
       ORDER BY outbox.position`,
      [limit],
    );
  }
}
