import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type {
  ActivityData,
  ConversationData,
  ConversationSurveyData,
  MessageData,
} from '@cxp/platform-records';
import { UnstoredRecords } from '@cxp/record-intake';
import type { Changed } from './rejected-changes';

/** A committed change of a conversation that area B has not stored yet: what area B is told, as it is stored now. */
export interface OutboxChange {
  readonly organizationId: string;
  /** In the order of the changes of a conversation. */
  readonly position: string;
  readonly conversationId: string;
  /** Null: it is gone. */
  readonly conversation: ConversationData | null;
  readonly message: MessageData | null;
  readonly activity: ActivityData | null;
  readonly survey: ConversationSurveyData | null;
}

/** Whose changes are left out. */
export interface Except {
  /** Keys of `conversationKey`. */
  readonly conversations: readonly string[];
  readonly organizations: readonly string[];
}

/** SQL: the oldest changes but some. $1 how many, $2 conversations and $3 organizations that are left out. */
const OLDEST = `
  SELECT * FROM webchat.outbox
  WHERE organization_id || ' ' || conversation_id <> ALL ($2::text[]) AND organization_id <> ALL ($3::text[])
  ORDER BY position LIMIT $1`;

/** The changes of all organizations. They are sent on to area B, and no request reads them. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * The oldest changes.
   * @param except whose changes are left out
   */
  next(limit: number, { conversations, organizations }: Except): Promise<OutboxChange[]> {
    return this.manager.query<OutboxChange[]>(
      `SELECT outbox.organization_id AS "organizationId", outbox.position, outbox.conversation_id AS "conversationId",
         CASE WHEN conversation.id IS NOT NULL THEN json_build_object(
           'id', conversation.id, 'createdAt', conversation.created_at, 'updatedAt', conversation.updated_at,
           'closedAt', conversation.closed_at, 'customer', json_build_object(
             'filumId', conversation.user_id, 'name', coalesce(conversation.user_name, ''),
             'phone', coalesce(conversation.user_phone, ''), 'email', coalesce(conversation.user_email, '')
           )) END AS conversation,
         CASE WHEN message.id IS NOT NULL THEN json_build_object(
           'id', message.id, 'conversationId', message.conversation_id, 'senderType', message.sender_type,
           'sentAt', message.sent_at) END AS message,
         CASE WHEN activity.id IS NOT NULL THEN json_build_object(
           'id', activity.id, 'conversationId', activity.conversation_id, 'action', activity.action,
           'occurredAt', activity.occurred_at, 'agent', activity.agent) END AS activity,
         CASE WHEN rating.event IS NOT NULL THEN json_build_object(
           'id', 'webchat-' || rating.conversation_id || '-' || rating.request_event,
           'conversationId', rating.conversation_id, 'rating', rating.rating, 'resolution', rating.resolution,
           'feedback', coalesce(rating.feedback, ''), 'submittedAt', rating.submitted_at) END AS survey
       FROM (${OLDEST}) AS outbox
       LEFT JOIN webchat.conversation
         ON conversation.organization_id = outbox.organization_id AND conversation.id = outbox.conversation_id
       LEFT JOIN webchat.message
         ON message.organization_id = outbox.organization_id AND message.conversation_id = outbox.conversation_id
         AND message.sequence = outbox.message_sequence
       LEFT JOIN webchat.activity
         ON activity.organization_id = outbox.organization_id AND activity.id = outbox.activity_id
       LEFT JOIN webchat.rating
         ON rating.organization_id = outbox.organization_id AND rating.conversation_id = outbox.conversation_id
         AND rating.request_event = outbox.rating_request
       ORDER BY outbox.position`,
      [limit, conversations, organizations],
    );
  }

  /** Puts the oldest change aside, with the reason why it can't be read. `npx cxp rejected retry` adds it to the outbox again. */
  async rejectOldest({ conversations, organizations }: Except, reason: string): Promise<void> {
    await this.manager.transaction(async (manager) => {
      const [[change]] = await manager.query<[[(Changed & { organizationId: string }) | undefined], number]>(
        `DELETE FROM webchat.outbox USING (${OLDEST} FOR UPDATE) AS oldest
         WHERE outbox.organization_id = oldest.organization_id AND outbox.position = oldest.position
         RETURNING outbox.organization_id AS "organizationId", outbox.position, outbox.conversation_id AS "conversationId",
           outbox.message_sequence AS "messageSequence", outbox.activity_id AS "activityId",
           outbox.rating_request AS "ratingRequest"`,
        [1, conversations, organizations],
      );
      if (!change) return;
      const { organizationId, ...data } = change;
      const record = JSON.stringify({ type: 'change', data });
      await new UnstoredRecords(manager, 'webchat').reject(organizationId, [{ record, reason }]);
    });
  }

  /** Adds changes that were put aside. */
  async add(organizationId: string, changes: readonly Changed[]): Promise<void> {
    await this.manager.query(
      `INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence, activity_id, rating_request)
       SELECT $1, "conversationId", "messageSequence", "activityId", "ratingRequest"
       FROM ROWS FROM (
         json_to_recordset($2)
           AS ("conversationId" uuid, "messageSequence" bigint, "activityId" text, "ratingRequest" bigint)
       ) WITH ORDINALITY ORDER BY ordinality`,
      [organizationId, JSON.stringify(changes)],
    );
  }

  /** Changes that are not there any more are passed over. */
  async remove(changes: readonly OutboxChange[]): Promise<void> {
    if (changes.length === 0) return;
    await this.manager.query(
      `DELETE FROM webchat.outbox
       USING unnest($1::text[], $2::bigint[]) AS removed (organization_id, position)
       WHERE outbox.organization_id = removed.organization_id AND outbox.position = removed.position`,
      [changes.map(({ organizationId }) => organizationId), changes.map(({ position }) => position)],
    );
  }

  /** The age of the oldest change; 0 when there is none. */
  async oldestAgeSeconds(): Promise<number> {
    const [oldest]: { age: number | null }[] = await this.manager.query(
      `SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 AS age
       FROM webchat.outbox ORDER BY position LIMIT 1`,
    );
    return Math.max(0, oldest?.age ?? 0);
  }
}

/** Identifies a change's conversation among those of all organizations. */
export function conversationKey({ organizationId, conversationId }: OutboxChange): string {
  return `${organizationId} ${conversationId}`;
}
