import type { Reader, ReadMarks } from '../conversations/conversation.repository';
import type { Message, SenderType } from '../messages/message';

/*
 * What travels over a socket: JSON objects told apart by `type`. Their JSON Schemas are in `frame-schemas.ts`.
 */

/** From the customer's client. */
export type ClientFrame = AuthenticateFrame | SendMessageFrame | CustomerTypingFrame | CustomerReadFrame;

/** The first frame of a socket that was opened without a token; later, a refreshed token. */
export interface AuthenticateFrame {
  readonly type: 'authenticate';
  readonly sessionToken: string;
}

export interface SendMessageFrame {
  readonly type: 'message.send';
  readonly clientId: string;
  readonly text: string;
}

export interface CustomerTypingFrame {
  readonly type: 'typing';
  readonly active: boolean;
}

export interface CustomerReadFrame {
  readonly type: 'read';
  readonly sequence: number;
}

/** To the customer's client. */
export type ServerFrame =
  | SessionReadyFrame
  | SessionExpiringFrame
  | SessionRenewedFrame
  | MessageFrame
  | MessageAcceptedFrame
  | TypingFrame
  | ReadFrame
  | ActivityFrame
  | ErrorFrame;

/** The socket is authenticated; missed messages follow. */
export interface SessionReadyFrame {
  readonly type: 'session.ready';
  readonly sessionId: string;
  readonly conversationId: string;
  readonly userId: string;
  readonly sessionTokenExpiration: number;
  readonly lastSequence: number;
  readonly read: ReadMarks;
}

/** The token is about to expire. */
export interface SessionExpiringFrame {
  readonly type: 'session.expiring';
  readonly sessionTokenExpiration: number;
}

/** A refreshed token was taken. */
export interface SessionRenewedFrame {
  readonly type: 'session.renewed';
  readonly sessionTokenExpiration: number;
}

/** A message of the conversation, whoever sent it; every one, in the order of `sequence`. */
export interface MessageFrame {
  readonly type: 'message';
  readonly message: Message;
}

/** A message that this socket sent is stored. */
export interface MessageAcceptedFrame {
  readonly type: 'message.accepted';
  readonly clientId: string;
  readonly id: string;
  readonly sequence: number;
  readonly sentAt: string;
}

export interface TypingFrame {
  readonly type: 'typing';
  readonly senderType: SenderType;
  readonly senderName: string | null;
  readonly active: boolean;
}

export interface ReadFrame {
  readonly type: 'read';
  readonly reader: Reader;
  readonly sequence: number;
}

/** Something happened to the conversation, for instance an agent was assigned. */
export interface ActivityFrame {
  readonly type: 'activity';
  readonly id: string;
  readonly action: string;
  readonly occurredAt: string;
  readonly agentName: string | null;
}

export const ERROR_CODES = [
  'invalid_frame',
  'rate_limited',
  'token_refused',
  'conversation_not_found',
  'try_again',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** A frame was not acted on; the socket stays open. */
export interface ErrorFrame {
  readonly type: 'error';
  readonly code: ErrorCode;
  readonly message: string;
  /** Of the message that was not stored, when it was one. */
  readonly clientId: string | null;
}
