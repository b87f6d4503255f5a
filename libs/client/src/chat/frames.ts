import { CxpError } from '../errors';
import type { ChatEvent } from '../types';

/* Events are those of the OpenAPI document; the AsyncAPI document of webchat-gateway describes the other frames. */

export interface ReadyFrame {
  readonly type: 'session.ready';
  readonly sessionId: string;
  readonly conversationId: string;
  readonly userId: string;
  readonly sessionTokenExpiration: number;
  readonly lastEvent: number;
  readonly status: 'open' | 'closed';
  readonly agent: { readonly name: string | null } | null;
  readonly read: { readonly customer: number; readonly agent: number };
}

export interface TypingFrame {
  readonly type: 'typing';
  readonly senderType: string;
  readonly senderName: string | null;
  readonly active: boolean;
}

/** Frames for the application, by type. */
export type ChatFrames = {
  readonly [Frame in ReadyFrame | TypingFrame | ChatEvent as Frame['type']]: Frame;
};

/** Frames that the application does not see. */
export type ProtocolFrame =
  | { readonly type: 'session.expiring' | 'session.renewed'; readonly sessionTokenExpiration: number }
  | ({ readonly type: 'message.accepted'; readonly clientId: string } & Accepted)
  | { readonly type: 'rating.accepted'; readonly clientId: string }
  | {
      readonly type: 'error';
      readonly code: string;
      readonly message: string;
      readonly clientId: string | null;
    };

export type ServerFrame = ChatFrames[keyof ChatFrames] | ProtocolFrame;

export interface Accepted {
  readonly id: string;
  /** The number of its event. */
  readonly event: number;
  readonly sentAt: string;
}

/** The server refused a message or rating for good. */
export class ChatError extends CxpError {
  constructor(
    /** The `code` of the error frame. */
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The chat ended before a message or rating was acknowledged. */
export class ChatEndedError extends CxpError {
  constructor() {
    super('The chat has ended');
  }
}
