/*
 * How a conversation and its events become records of area B, in SQL. Events that are no records (read marks, requests for a rating) are NULL.
 */

export const CONVERSATION_RECORD = `json_build_object('type', 'conversation', 'data', json_build_object(
  'id', conversation.id, 'createdAt', conversation.created_at, 'updatedAt', conversation.updated_at,
  'closedAt', conversation.closed_at, 'customer', json_build_object(
    'filumId', conversation.user_id, 'name', coalesce(conversation.user_name, ''),
    'phone', coalesce(conversation.user_phone, ''), 'email', coalesce(conversation.user_email, ''))))`;

export const EVENTS_WITH_DATA = `webchat.event
  LEFT JOIN webchat.message ON message.organization_id = event.organization_id
    AND message.conversation_id = event.conversation_id AND message.sequence = event.message_sequence
  LEFT JOIN webchat.activity ON event.type = 'activity' AND activity.organization_id = event.organization_id
    AND activity.id = event.payload ->> 'id'
  LEFT JOIN webchat.rating ON event.type = 'rating' AND rating.organization_id = event.organization_id
    AND rating.conversation_id = event.conversation_id AND rating.request_event = (event.payload -> 'request')::bigint`;

export const EVENT_RECORD = `CASE event.type
  WHEN 'message' THEN json_build_object('type', 'message', 'data', json_build_object(
    'id', message.id, 'conversationId', event.conversation_id, 'senderType', message.sender_type,
    'sentAt', message.sent_at))
  WHEN 'activity' THEN json_build_object('type', 'activity', 'data', json_build_object(
    'id', activity.id, 'conversationId', event.conversation_id, 'action', activity.action,
    'occurredAt', activity.occurred_at, 'agent', activity.agent))
  WHEN 'rating' THEN json_build_object('type', 'conversation_survey', 'data', json_build_object(
    'id', 'webchat-' || event.conversation_id || '-' || rating.request_event,
    'conversationId', event.conversation_id, 'rating', rating.rating, 'resolution', rating.resolution,
    'feedback', coalesce(rating.feedback, ''), 'submittedAt', rating.submitted_at))
  END`;
