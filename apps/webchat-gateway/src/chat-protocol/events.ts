import { Type, type Static } from '@sinclair/typebox';
import {
  Agent,
  ClientId,
  ConversationStatus,
  UtcTime,
  frame,
  Message,
  nullableSchema,
  Rating,
  Reader,
  UpTo,
} from './shapes';

/* Events are stored, share one sequence of numbers, and can be resumed. A frame and the history show the same object. */

const EventNumber = Type.Integer({
  minimum: 1,
  description: 'From 1, without gaps, over all events of the conversation. Resume after it with `lastEvent`.',
});

const MessageEvent = frame('message', 'A message of the conversation. This includes those of this client.', {
  event: EventNumber,
  status: ConversationStatus,
  message: Message,
});

const ActivityEvent = frame('activity', 'An activity of the conversation, for instance `assign`.', {
  event: EventNumber,
  id: Type.String(),
  action: Type.String({ examples: ['assign'] }),
  occurredAt: UtcTime,
  agentName: nullableSchema(Type.String(), 'Name of the agent who acted.'),
  status: ConversationStatus,
  agent: Agent,
});

const ReadEvent = frame('read', 'A side of the conversation has read up to this event.', {
  event: EventNumber,
  reader: Reader,
  upTo: UpTo,
});

const RatingRequestedEvent = frame(
  'rating.requested',
  'The customer is asked to rate the chat. Follows the activity `route_to_rating`.',
  { event: EventNumber, requestedAt: UtcTime },
);

const RatingEvent = frame('rating', 'The customer has rated the chat.', {
  event: EventNumber,
  request: Type.Integer({ minimum: 1, description: '`event` of the `rating.requested` that is answered.' }),
  clientId: ClientId,
  ...Rating,
  submittedAt: UtcTime,
});

export const CHAT_EVENTS = {
  message: MessageEvent,
  activity: ActivityEvent,
  read: ReadEvent,
  'rating.requested': RatingRequestedEvent,
  rating: RatingEvent,
};

export type ChatEvent = Static<(typeof CHAT_EVENTS)[keyof typeof CHAT_EVENTS]>;
export type ChatEventOf<Type extends ChatEvent['type']> = Static<(typeof CHAT_EVENTS)[Type]>;
