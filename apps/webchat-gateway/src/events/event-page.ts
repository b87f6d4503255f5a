import { Type, type Static } from '@sinclair/typebox';
import { CHAT_EVENTS } from '../chat-protocol/events';
import { Agent, ConversationStatus, ReadMarks } from '../chat-protocol/shapes';

const { message, activity, read, rating, 'rating.requested': ratingRequested } = CHAT_EVENTS;

/** A page of a conversation's events. The schema is part of the OpenAPI document. */
export const EventPage = Type.Object({
  items: Type.Array(Type.Union([message, activity, read, ratingRequested, rating]), {
    description: 'Oldest first.',
  }),
  hasMore: Type.Boolean({ description: 'Whether there are more in the direction of the page.' }),
  lastEvent: Type.Integer({ minimum: 0, description: '`event` of the last event; 0: there is none.' }),
  status: ConversationStatus,
  agent: Agent,
  read: ReadMarks,
});
export type EventPage = Static<typeof EventPage>;
