import type { SchemaObject } from 'ajv';
import { MESSAGE_TEXT_LENGTH, SENDER_TYPES } from '../messages/message';
import { ERROR_CODES, type ClientFrame, type ServerFrame } from './frames';

/** What a frame looks like, and when it is sent. */
export interface FrameSchema {
  readonly summary: string;
  readonly schema: SchemaObject;
}

const DATE_TIME = { type: 'string', format: 'date-time', examples: ['2026-01-05T02:11:09.000Z'] };
const EPOCH_SECONDS = { type: 'integer', description: 'Unix epoch seconds.', examples: [1_767_225_600] };
const SEQUENCE = { type: 'integer', minimum: 1, description: 'From 1, without gaps, in the conversation.' };
const READ_SEQUENCE = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const SENDER_TYPE = { type: 'string', enum: [...SENDER_TYPES] };
const CLIENT_ID = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description:
    "The client's own id of the message, unique in the conversation: sending it again is harmless.",
};

/** The frames that a client may send; the same schemas check them. */
export const CLIENT_FRAMES: Readonly<Record<ClientFrame['type'], FrameSchema>> = {
  authenticate: frame('authenticate', 'The session token: as the first frame, or refreshed later.', {
    sessionToken: { type: 'string', minLength: 1, maxLength: 8_192 },
  }),
  'message.send': frame('message.send', 'A message of the customer; answered with `message.accepted`.', {
    clientId: CLIENT_ID,
    text: { type: 'string', maxLength: MESSAGE_TEXT_LENGTH, pattern: '\\S' },
  }),
  typing: frame('typing', 'The customer started or stopped typing.', { active: { type: 'boolean' } }),
  read: frame('read', 'The customer has read up to this message.', { sequence: READ_SEQUENCE }),
};

const MESSAGE: SchemaObject = objectOf({
  id: { type: 'string' },
  sequence: SEQUENCE,
  senderType: SENDER_TYPE,
  senderName: { type: ['string', 'null'] },
  text: { type: 'string' },
  sentAt: DATE_TIME,
  clientId: { type: ['string', 'null'], description: 'Set on messages of the customer.' },
});

/** The frames that the server sends. */
export const SERVER_FRAMES: Readonly<Record<ServerFrame['type'], FrameSchema>> = {
  'session.ready': frame('session.ready', 'The socket is authenticated. What was missed follows.', {
    sessionId: { type: 'string' },
    conversationId: { type: 'string', format: 'uuid' },
    userId: { type: 'string' },
    sessionTokenExpiration: EPOCH_SECONDS,
    lastSequence: { ...READ_SEQUENCE, description: 'Of the last message there is; 0: there is none.' },
    read: objectOf({ customer: READ_SEQUENCE, agent: READ_SEQUENCE }),
  }),
  'session.expiring': frame('session.expiring', 'Three minutes are left: refresh the token and send it.', {
    sessionTokenExpiration: EPOCH_SECONDS,
  }),
  'session.renewed': frame('session.renewed', 'A refreshed token was taken.', {
    sessionTokenExpiration: EPOCH_SECONDS,
  }),
  message: frame('message', 'Every message of the conversation, own ones too, in the order of `sequence`.', {
    message: MESSAGE,
  }),
  'message.accepted': frame('message.accepted', 'A message that this socket sent is stored.', {
    clientId: CLIENT_ID,
    id: { type: 'string' },
    sequence: SEQUENCE,
    sentAt: DATE_TIME,
  }),
  typing: frame('typing', 'Somebody started or stopped typing.', {
    senderType: SENDER_TYPE,
    senderName: { type: ['string', 'null'] },
    active: { type: 'boolean' },
  }),
  read: frame('read', 'A side of the conversation has read up to this message.', {
    reader: { type: 'string', enum: ['customer', 'agent'] },
    sequence: READ_SEQUENCE,
  }),
  activity: frame('activity', 'Something happened to the conversation, for instance `assign`.', {
    id: { type: 'string' },
    action: { type: 'string', examples: ['assign'] },
    occurredAt: DATE_TIME,
    agentName: { type: ['string', 'null'] },
  }),
  error: frame('error', 'A frame was not acted on; the socket stays open.', {
    code: { type: 'string', enum: [...ERROR_CODES] },
    message: { type: 'string' },
    clientId: { type: ['string', 'null'], description: 'Of the message that was not stored.' },
  }),
};

function frame(type: string, summary: string, properties: Record<string, SchemaObject>): FrameSchema {
  return { summary, schema: objectOf({ type: { type: 'string', const: type }, ...properties }) };
}

function objectOf(properties: Record<string, SchemaObject>): SchemaObject {
  return { type: 'object', required: Object.keys(properties), properties };
}
