import { Type, type Static } from '@sinclair/typebox';
import { CHAT_EVENTS } from '../chat-protocol/events';
import { Agent, ConversationStatus, Message, ReadMarks } from '../chat-protocol/shapes';

/*
 * The pages of a conversation's history. Their schemas are part of the OpenAPI document.
 */

const PAGE = {
  hasMore: Type.Boolean({ description: 'Whether there are more in the direction of the page.' }),
  read: ReadMarks,
};

export const MessagePage = Type.Object({
  items: Type.Array(Message, { description: 'Oldest first.' }),
  ...PAGE,
});
export type MessagePage = Static<typeof MessagePage>;

export const EventPage = Type.Object({
  items: Type.Array(Type.Union(Object.values(CHAT_EVENTS)), { description: 'Oldest first.' }),
  ...PAGE,
  lastEvent: Type.Integer({ minimum: 0, description: '`event` of the last event; 0: there is none.' }),
  status: ConversationStatus,
  agent: Agent,
});
export type EventPage = Static<typeof EventPage>;
