import { Type, type Static } from '@sinclair/typebox';
import { EXPIRY_WARNING_SECONDS } from './limits';
import {
  Agent,
  ClientId,
  ConversationStatus,
  UtcTime,
  EpochSeconds,
  frame,
  Message,
  nullableSchema,
  Rating,
  Reader,
  ReadMarks,
  SenderType,
  stringEnum,
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

const FRAME_ERROR_CODES = [
  'invalid_frame',
  'token_refused',
  'conversation_not_found',
  'rating_not_requested',
  'rating_already_submitted',
  'try_again',
] as const;

const SessionReady = frame(
  'session.ready',
  'The socket is authenticated. This is the state of the conversation; missed events follow.',
  {
    sessionId: Type.String(),
    conversationId: Type.String({ format: 'uuid' }),
    userId: Type.String(),
    sessionTokenExpiration: EpochSeconds,
    lastEvent: Type.Integer({ minimum: 0, description: '`event` of the last event; 0: there is none.' }),
    status: ConversationStatus,
    agent: Agent,
    read: ReadMarks,
  },
);

const SessionExpiring = frame(
  'session.expiring',
  `The token expires in ${EXPIRY_WARNING_SECONDS} seconds: refresh it and send it in \`authenticate\`.`,
  { sessionTokenExpiration: EpochSeconds },
);

const SessionRenewed = frame('session.renewed', 'A refreshed token was accepted.', {
  sessionTokenExpiration: EpochSeconds,
});

const MessageAccepted = frame('message.accepted', 'A message that this socket sent is stored.', {
  clientId: ClientId,
  id: Type.String(),
  event: Type.Integer({
    minimum: 1,
    description: '`event` of the message. Events before it may still be on their way.',
  }),
  sentAt: UtcTime,
});

const Typing = frame('typing', 'Somebody started or stopped typing.', {
  senderType: SenderType,
  senderName: nullableSchema(Type.String()),
  active: Type.Boolean(),
});

const RatingAccepted = frame('rating.accepted', 'A rating that this socket sent is stored.', {
  clientId: ClientId,
  submittedAt: UtcTime,
});

const ErrorFrame = frame('error', 'A frame had no effect. The socket stays open.', {
  code: stringEnum(FRAME_ERROR_CODES),
  message: Type.String(),
  clientId: nullableSchema(
    Type.String(),
    '`clientId` of the frame that had no effect, whatever its type; null: it has none that could be read.',
  ),
});

export const SERVER_FRAMES = {
  'session.ready': SessionReady,
  'session.expiring': SessionExpiring,
  'session.renewed': SessionRenewed,
  ...CHAT_EVENTS,
  'message.accepted': MessageAccepted,
  'rating.accepted': RatingAccepted,
  typing: Typing,
  error: ErrorFrame,
};

export type ServerFrame = Static<(typeof SERVER_FRAMES)[keyof typeof SERVER_FRAMES]>;
export type ServerFrameOf<Name extends ServerFrame['type']> = Static<(typeof SERVER_FRAMES)[Name]>;
export type FrameErrorCode = (typeof FRAME_ERROR_CODES)[number];

/** Codes from 4400 are this protocol's own; the last two digits are those of the HTTP status with the same meaning. */
export const CLOSE_REASONS = {
  expired: { code: 4401, reason: 'The session token has expired' },
  sessionGone: { code: 4404, reason: 'Session not found' },
  replaced: { code: 4409, reason: 'Newer sockets of the session took its place' },
  unread: { code: 4430, reason: 'Frames are not read fast enough; connect again to go on' },
  tooManyFrames: { code: 1008, reason: 'Too many frames at once' },
  binaryFrame: { code: 1003, reason: 'Frames must be text' },
  failed: { code: 1011, reason: 'Internal error' },
  serviceStops: { code: 1012, reason: 'Connect again' },
  unavailable: { code: 1013, reason: 'Not available; connect again later' },
};
