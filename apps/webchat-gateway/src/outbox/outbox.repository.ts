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
  /** Tells it from the other changes of its organization. */
  position: textColumn('outbox.position'),
  conversationId: textColumn('outbox.conversation_id'),
  /** The conversation was erased. */
  isErased: booleanColumn('outbox.is_erased'),
  /** Null: it is gone. */
  conversation: nullable(
    jsonColumn<ConversationData>(`CASE WHEN conversation.id IS NOT NULL THEN json_build_object(
      'id', conversation.id, 'createdAt', conversation.created_at, 'updatedAt', conversation.updated_at,
      'closedAt', conversation.closed_at, 'customer', json_build_object(
        'filumId', conversation.user_id, 'name', coalesce(conversation.user_name, ''),
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

/** Tells a change from all others. */
export type ChangeKey = Pick<OutboxChange, 'organizationId' | 'position'>;

/** Whose changes are left out. */
export interface Except {
  /** Keys of `conversationKey`. */
  readonly conversations: readonly string[];
  readonly organizations: readonly string[];
}

/**
 * The oldest changes but some: $1 how many, $2 conversations and $3 organizations that are left out. What they tell of is read by a statement
 * of its own: on Citus each shard finds its oldest ones, and then what belongs to those that are the oldest of all.
 */
const OLDEST = new Statement(
  { organizationId: textColumn('organization_id'), position: textColumn('position') },
  (list) => `
  SELECT ${list} FROM webchat.outbox
  WHERE organization_id || ' ' || conversation_id <> ALL ($2::text[]) AND organization_id <> ALL ($3::text[])
  ORDER BY outbox.created_at, outbox.position LIMIT $1`,
);

/** SQL: the changes whose organizations are $1 and positions $2; $3 are the organizations, each once, by which Citus finds their shards. */
const CHOSEN = 'unnest($1::text[], $2::bigint[]) AS chosen (organization_id, position)';
const IS_CHOSEN = `outbox.organization_id = ANY ($3::text[])
  AND outbox.organization_id = chosen.organization_id AND outbox.position = chosen.position`;

const READ_CHANGES = new Statement(
  CHANGE_COLUMNS,
  (list) => `
  SELECT ${list}
  FROM ${CHOSEN}
  JOIN webchat.outbox ON ${IS_CHOSEN}
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
  ORDER BY outbox.created_at, outbox.position`,
);

const TAKE = new Statement(
  {
    organizationId: textColumn('organization_id'),
    position: textColumn('position'),
    conversationId: textColumn('conversation_id'),
    messageSequence: nullable(textColumn('message_sequence')),
    activityId: nullable(textColumn('activity_id')),
    ratingRequest: nullable(textColumn('rating_request')),
    isErased: booleanColumn('is_erased'),
  },
  (list) => `DELETE FROM webchat.outbox WHERE organization_id = $1 AND position = $2 RETURNING ${list}`,
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

const REMOVE = new Statement({}, `DELETE FROM webchat.outbox USING ${CHOSEN} WHERE ${IS_CHOSEN}`);

const AGE_OF_OLDEST = new Statement(
  { seconds: numberColumn('extract(epoch FROM clock_timestamp() - created_at)') },
  (list) => `SELECT ${list} FROM webchat.outbox ORDER BY outbox.created_at, outbox.position LIMIT 1`,
);

/** The changes of all organizations. They are sent on to area B, and no request reads them. */
@Injectable()
export class OutboxRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * The oldest changes.
   * @param except whose changes are left out
   */
  async next(limit: number, { conversations, organizations }: Except): Promise<OutboxChange[]> {
    const oldest = await OLDEST.run(this.manager, [limit, conversations, organizations]);
    return oldest.length === 0 ? [] : READ_CHANGES.run(this.manager, chosen(oldest));
  }

  /** Puts the oldest change aside, with the reason why it can't be read. `npx cxp rejected retry` adds it to the outbox again. */
  async rejectOldest({ conversations, organizations }: Except, reason: string): Promise<void> {
    await this.manager.transaction(async (manager) => {
      const oldest = await OLDEST.first(manager, [1, conversations, organizations]);
      const change = oldest && (await TAKE.first(manager, [oldest.organizationId, oldest.position]));
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
  async remove(changes: readonly ChangeKey[]): Promise<void> {
    if (changes.length === 0) return;
    await REMOVE.count(this.manager, chosen(changes));
  }

  /** The age of the oldest change; 0 when there is none. */
  async oldestAgeSeconds(): Promise<number> {
    const oldest = await AGE_OF_OLDEST.first(this.manager, []);
    return Math.max(0, oldest?.seconds ?? 0);
  }
}

/** The values of `CHOSEN`. */
function chosen(changes: readonly ChangeKey[]): unknown[] {
  const organizations = changes.map(({ organizationId }) => organizationId);
  return [organizations, changes.map(({ position }) => position), [...new Set(organizations)]];
}

/** Identifies a change's conversation among those of all organizations. */
export function conversationKey({ organizationId, conversationId }: OutboxChange): string {
  return `${organizationId} ${conversationId}`;
}
