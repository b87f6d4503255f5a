import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { violates } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/events';
import { NEXT_CHANGE, STATUS } from '../conversations/conversation.repository';
import { EVENT_FRAME, eventValues, frameTime } from '../conversations/stored-event';
import {
  ASSIGNING_ACTIONS,
  CLOSING_ACTIONS,
  OPENING_ACTIONS,
  RATING_ACTION,
  RELEASING_ACTIONS,
  type Activity,
  type NewActivity,
} from './activity';

/** What came of storing an activity: `known` if it, or one with its id, was stored before. */
export type Recorded =
  | { readonly outcome: 'stored'; readonly activity: Activity; readonly events: readonly ChatEvent[] }
  | { readonly outcome: 'known'; readonly activity: Activity }
  | { readonly outcome: 'no_conversation' | 'id_taken' };

interface ActivityRow extends Omit<Activity, 'occurredAt'> {
  readonly occurredAt: Date;
}

const COLUMNS = 'activity.id, activity.action, activity.occurred_at AS "occurredAt", activity.agent';

/** Locks the conversation's row first, as every statement does that takes event numbers. */
const RECORD_ACTIVITY = `
  WITH conversation AS (
    UPDATE webchat.conversation
    SET updated_at = ${NEXT_CHANGE},
        closed_at = CASE
          WHEN $4 = ANY ($7::text[]) THEN coalesce($5, ${NEXT_CHANGE})
          WHEN $4 = ANY ($8::text[]) THEN NULL
          ELSE closed_at END,
        agent = CASE
          WHEN $4 = ANY ($9::text[]) THEN $10::jsonb
          WHEN $4 = ANY ($11::text[]) THEN NULL
          ELSE agent END,
        last_event = last_event + CASE WHEN $12 THEN 2 ELSE 1 END
    WHERE organization_id = $1 AND id = $2
    RETURNING organization_id, id, updated_at, ${STATUS} AS status, agent,
      CASE WHEN $12 THEN last_event - 1 ELSE last_event END AS event,
      CASE WHEN $12 THEN last_event END AS request_event
  ), activity AS (
    INSERT INTO webchat.activity (organization_id, id, conversation_id, action, occurred_at, agent, event)
    SELECT organization_id, $3, id, $4, coalesce($5::timestamptz, updated_at), $6, event FROM conversation
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
  ), request AS (
    INSERT INTO webchat.rating (organization_id, conversation_id, request_event)
    SELECT organization_id, id, request_event FROM conversation WHERE request_event IS NOT NULL
  ), change AS (
    INSERT INTO webchat.outbox (organization_id, conversation_id, activity_id)
    SELECT organization_id, conversation_id, id FROM activity
  )
  SELECT ${COLUMNS}, event.frame FROM activity CROSS JOIN event ORDER BY event.number`;

@Injectable()
export class ActivityRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Stores an activity with its event, its conversation's change and the change's outbox entry. */
  async record(
    organizationId: string,
    conversationId: string,
    { id, action, occurredAt, agent }: NewActivity,
  ): Promise<Recorded> {
    try {
      const rows = await this.manager.query<(ActivityRow & { frame: ChatEvent })[]>(RECORD_ACTIVITY, [
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
      ]);
      if (!rows[0]) return { outcome: 'no_conversation' };
      return { outcome: 'stored', activity: toActivity(rows[0]), events: rows.map(({ frame }) => frame) };
    } catch (error) {
      if (!violates(error, 'activity_id_unique')) throw error;
      const known = await this.find(organizationId, conversationId, id);
      return known ? { outcome: 'known', activity: known } : { outcome: 'id_taken' };
    }
  }

  private async find(
    organizationId: string,
    conversationId: string,
    id: string,
  ): Promise<Activity | undefined> {
    const [row]: ActivityRow[] = await this.manager.query(
      `SELECT ${COLUMNS} FROM webchat.activity
       WHERE organization_id = $1 AND id = $3 AND conversation_id = $2`,
      [organizationId, conversationId, id],
    );
    return row && toActivity(row);
  }
}

function toActivity({ id, action, occurredAt, agent }: ActivityRow): Activity {
  return { id, action, occurredAt: occurredAt.toISOString(), agent };
}
