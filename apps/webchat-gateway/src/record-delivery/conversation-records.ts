import type { ContactCenterRecord } from '@cxp/records';
import type { StoredEvent } from '../conversations/stored-event';

/** UTC, because old instants in other timezones have offsets with seconds, or another era. */
const utc = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

export const CONVERSATION_RECORD = `json_build_object('type', 'conversation', 'data', json_build_object(
  'id', conversation.id, 'createdAt', ${utc('conversation.created_at')}, 'updatedAt', ${utc('conversation.updated_at')},
  'closedAt', ${utc('conversation.closed_at')}, 'customer', json_build_object(
    'filumId', conversation.user_id, 'name', coalesce(conversation.user_name, ''),
    'phone', coalesce(conversation.user_phone, ''), 'email', coalesce(conversation.user_email, ''))))`;

/** @returns undefined if area B does not need the event */
export function recordOf(conversationId: string, stored: StoredEvent): ContactCenterRecord | undefined {
  const { storedAt } = stored;
  switch (stored.type) {
    case 'message': {
      const { senderType } = stored.payload;
      return { type: 'message', data: { id: stored.id!, conversationId, senderType, sentAt: storedAt } };
    }
    case 'activity': {
      const { action, occurredAt, by: agent } = stored.payload;
      const data = { id: stored.id!, conversationId, action, occurredAt: occurredAt ?? storedAt, agent };
      return { type: 'activity', data };
    }
    case 'rating': {
      const { request, rating, resolution, feedback } = stored.payload;
      const id = `webchat-${conversationId}-${request}`;
      const answer = { rating, resolution, feedback: feedback ?? '' };
      return { type: 'conversation_survey', data: { id, conversationId, ...answer, submittedAt: storedAt } };
    }
    case 'read':
    case 'rating.requested':
      return undefined;
  }
}
