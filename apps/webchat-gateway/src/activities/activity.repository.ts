import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { jsonColumn, Statement, violates } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/events';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { CLOCK, nextChange, STATUS } from '../conversations/conversation-change';
import { queueDelivery } from '../conversations/queue-delivery';
import { EVENT_FRAME, eventValues, frameTime } from '../conversations/stored-event';
import { WebchatSettings } from '../settings';
import {
  ASSIGNING_ACTIONS,
  CLOSING_ACTIONS,
  OPENING_ACTIONS,
  RATING_ACTION,
  RELEASING_ACTIONS,
  type Activity,
  type NewActivity,
} from './activity';

/** An activity that is stored; with its events, unless it, or one with its id, was stored before. */
export interface Recorded {
  readonly activity: Activity;
  readonly events: readonly ChatEvent[];
}

const ACTIVITY = jsonColumn<Activity>(`json_build_object('id', activity.id, 'action', activity.action,
  'occurredAt', ${frameTime('activity.occurred_at')}, 'agent', activity.agent)`);

/** Locks the conversation's row first, as every statement does that takes event numbers. */
const RECORD_ACTIVITY = new Statement(
  { activity: ACTIVITY, frame: jsonColumn<ChatEvent>('event.frame') },
  (list) => `
  WITH clock AS MATERIALIZED (SELECT ${CLOCK} AS now), conversation AS (
    UPDATE webchat.conversation
    SET updated_at = ${nextChange('clock.now')},
        closed_at = CASE
          WHEN $4 = ANY ($7::text[]) THEN coalesce($5, ${nextChange('clock.now')})
          WHEN $4 = ANY ($8::text[]) THEN NULL
          ELSE closed_at END,
        agent = CASE
          WHEN $4 = ANY ($9::text[]) THEN $10::jsonb
          WHEN $4 = ANY ($11::text[]) THEN NULL
          ELSE agent END,
        is_delivered = is_delivered OR $13,
        last_event = last_event + CASE WHEN $12 THEN 2 ELSE 1 END
    FROM clock
    WHERE organization_id = $1 AND id = $2
    RETURNING organization_id, id, updated_at, ${STATUS} AS status, agent,
      CASE WHEN $12 THEN last_event - 1 ELSE last_event END AS event,
      CASE WHEN $12 THEN last_event END AS request_event
  ), activity AS (
    INSERT INTO webchat.activity (organization_id, id, conversation_id, action, occurred_at, agent, event)
    SELECT organization_id, $3, id, $4, coalesce($5::timestamptz, updated_at), $6::jsonb, event FROM conversation
    RETURNING *
  ), event AS (
    INSERT INTO webchat.event (organization_id, conversation_id, event, type, payload)
    SELECT activity.organization_id, conversation_id, activity.event, ${eventValues('activity', {
      id: 'activity.id',
      action: 'action',
      occurredAt: frameTime('occurred_at'),
      agentName: "activity.agent ->> 'name'",
      status: 'status',
      agent: 'conversation.agent',
    })}
    FROM activity CROSS JOIN conversation
    UNION ALL
    SELECT organization_id, id, request_event, ${eventValues('rating.requested', {
      requestedAt: frameTime('updated_at'),
    })}
    FROM conversation WHERE request_event IS NOT NULL
    RETURNING event.event AS number, ${EVENT_FRAME} AS frame
  ), rating AS (
    INSERT INTO webchat.rating (organization_id, conversation_id, request_event)
    SELECT organization_id, id, request_event FROM conversation WHERE request_event IS NOT NULL
  ), change AS (
    ${queueDelivery('activity WHERE $13', 'conversation_id', 'event - 1')}
  )
  SELECT ${list} FROM activity CROSS JOIN event ORDER BY event.number`,
);

const FIND_ACTIVITY = new Statement(
  { activity: ACTIVITY },
  (list) => `
  SELECT ${list} FROM webchat.activity WHERE organization_id = $1 AND id = $3 AND conversation_id = $2`,
);

@Injectable()
export class ActivityRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Stores an activity with its events, its conversation's change, and queues their delivery.
   * @throws ProblemError when the organization has no such conversation, or the id belongs to another one's activity
   */
  async record(
    organizationId: string,
    conversationId: string,
    { id, action, occurredAt, agent }: NewActivity,
  ): Promise<Recorded> {
    try {
      const rows = await RECORD_ACTIVITY.run(this.manager, [
        organizationId,
        conversationId,
        id,
        action,
        occurredAt,
        agent && JSON.stringify(agent),
        CLOSING_ACTIONS,
        OPENING_ACTIONS,
        ASSIGNING_ACTIONS,
        agent && !agent.isServiceAccount ? JSON.stringify({ name: agent.name ?? null }) : null,
        RELEASING_ACTIONS,
        action === RATING_ACTION,
        this.settings.deliversRecords,
      ]);
      if (!rows[0]) throw conversationNotFound(conversationId);
      return { activity: rows[0].activity, events: rows.map(({ frame }) => frame) };
    } catch (error) {
      if (!violates(error, 'activity_id_unique')) throw error;
      const known = await FIND_ACTIVITY.first(this.manager, [organizationId, conversationId, id]);
      if (known) return { activity: known.activity, events: [] };
      rejectAsInvalid({
        loc: ['body', 'id'],
        msg: 'id belongs to an activity of another conversation',
        type: 'value_error',
      });
    }
  }
}
