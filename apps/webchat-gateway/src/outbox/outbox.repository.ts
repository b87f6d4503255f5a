import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type {
  ActivityData,
  ConversationData,
  ConversationSurveyData,
  MessageData,
} from '@cxp/platform-records';
import { UnstoredRecords } from '@cxp/record-intake';
import {
  booleanColumn,
  jsonColumn,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
} from '@cxp/storage';
import type { Changed } from './rejected-changes';

const CHANGE_COLUMNS = {
  organizationId: textColumn('outbox.organization_id'),
  /** In the order of the changes of a conversation. */
  position: textColumn('outbox.position'),
  conversationId: textColumn('outbox.conversation_id'),
  /** The conversation was erased. */
  isErased: booleanColumn('outbox.is_erased'),
  /** Null: it is gone. */
  conversation: nullable(
    jsonColumn<ConversationData>(`CASE WHEN conversation.id IS NOT NULL THEN json_build_object(
      'id', conversation.id, 'createdAt', conversation.created_at, 'updatedAt', conversation.updated_at,
      'closedAt', conversation.closed_at, 'customer', json_build_object(
        'filumId', coalesce(conversation.user_id, ''), 'name', coalesce(conversation.user_name, ''),
        'phone', coalesce(conversation.user_phone, ''), 'email', coalesce(conversation.user_email, '')
      )) END`),
  ),
  message: nullable(
    jsonColumn<MessageData>(`CASE WHEN message.id IS NOT NULL THEN json_build_object(
      'id', message.id, 'conversationId', message.conversation_id, 'senderType', message.sender_type,
      'sentAt', message.sent_at) END`),
  ),
  activity: nullable(
    jsonColumn<ActivityData>(`CASE WHEN activity.id IS NOT NULL THEN json_build_object(
      'id', activity.id, 'conversationId', activity.conversation_id, 'action', activity.action,
      'occurredAt', activity.occurred_at, 'agent', activity.agent) END`),
  ),
  survey: nullable(
    jsonColumn<ConversationSurveyData>(`CASE WHEN rating.event IS NOT NULL THEN json_build_object(
      'id', 'webchat-' || rating.conversation_id || '-' || rating.request_event,
      'conversationId', rating.conversation_id, 'rating', rating.rating, 'resolution', rating.resolution,
      'feedback', coalesce(rating.feedback, ''), 'submittedAt', rating.submitted_at) END`),
  ),
};

/** A committed change of a conversation that area B has not stored yet: what area B is told, as it is stored now. */
export type OutboxChange = RowOf<typeof CHANGE_COLUMNS>;

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

const NEXT_CHANGES = new Statement(
  CHANGE_COLUMNS,
  (list) => `
  SELECT ${list}
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
);

const TAKE_OLDEST = new Statement(
  {
    organizationId: textColumn('outbox.organization_id'),
    position: textColumn('outbox.position'),
    conversationId: textColumn('outbox.conversation_id'),
    messageSequence: nullable(textColumn('outbox.message_sequence')),
    activityId: nullable(textColumn('outbox.activity_id')),
    ratingRequest: nullable(textColumn('outbox.rating_request')),
    isErased: booleanColumn('outbox.is_erased'),
  },
  (list) => `
  DELETE FROM webchat.outbox USING (${OLDEST} FOR UPDATE) AS oldest
  WHERE outbox.organization_id = oldest.organization_id AND outbox.position = oldest.position
  RETURNING ${list}`,
);

const ADD = new Statement(
  {},
  `INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence, activity_id, rating_request, is_erased)
   SELECT $1, "conversationId", "messageSequence", "activityId", "ratingRequest", coalesce("isErased", false)
   FROM ROWS FROM (
     json_to_recordset($2)
       AS ("conversationId" uuid, "messageSequence" bigint, "activityId" text, "ratingRequest" bigint, "isErased" boolean)
   ) WITH ORDINALITY ORDER BY ordinality`,
);

const REMOVE = new Statement(
  {},
  `DELETE FROM webchat.outbox
   USING unnest($1::text[], $2::bigint[]) AS removed (organization_id, position)
   WHERE outbox.organization_id = removed.organization_id AND outbox.position = removed.position`,
);

const AGE_OF_OLDEST = new Statement(
  { seconds: numberColumn('extract(epoch FROM clock_timestamp() - created_at)') },
  (list) => `SELECT ${list} FROM webchat.outbox ORDER BY position LIMIT 1`,
);

/** The changes of all organizations. They are sent on to area B, and no request reads them. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * The oldest changes.
   * @param except whose changes are left out
   */
  next(limit: number, { conversations, organizations }: Except): Promise<OutboxChange[]> {
    return NEXT_CHANGES.run(this.manager, [limit, conversations, organizations]);
  }

  /** Puts the oldest change aside, with the reason why it can't be read. `npx cxp rejected retry` adds it to the outbox again. */
  async rejectOldest({ conversations, organizations }: Except, reason: string): Promise<void> {
    await this.manager.transaction(async (manager) => {
      const change = await TAKE_OLDEST.first(manager, [1, conversations, organizations]);
      if (!change) return;
      const { organizationId, ...data } = change;
      const record = JSON.stringify({ type: 'change', data });
      await new UnstoredRecords(manager, 'webchat').reject(organizationId, [{ record, reason }]);
    });
  }

  /** Adds changes that were put aside. */
  async add(organizationId: string, changes: readonly Changed[]): Promise<void> {
    await ADD.count(this.manager, [organizationId, JSON.stringify(changes)]);
  }

  /** Changes that are not there any more are passed over. */
  async remove(changes: readonly OutboxChange[]): Promise<void> {
    if (changes.length === 0) return;
    await REMOVE.count(this.manager, [
      changes.map(({ organizationId }) => organizationId),
      changes.map(({ position }) => position),
    ]);
  }

  /** The age of the oldest change; 0 when there is none. */
  async oldestAgeSeconds(): Promise<number> {
    const oldest = await AGE_OF_OLDEST.first(this.manager, []);
    return Math.max(0, oldest?.seconds ?? 0);
  }
}

/** Identifies a change's conversation among those of all organizations. */
export function conversationKey({ organizationId, conversationId }: OutboxChange): string {
  return `${organizationId} ${conversationId}`;
}
