import type { Message } from '../types';

/*
 * The frames of a chat socket, as the AsyncAPI document of webchat-gateway describes them.
 */

/** A frame that is an event of the conversation carries its number. */
interface OfEvent {
  readonly event?: number;
}

export interface ReadyFrame {
  readonly type: 'session.ready';
  readonly sessionId: string;
  readonly conversationId: string;
  readonly userId: string;
  readonly sessionTokenExpiration: number;
  readonly lastSequence: number;
  readonly lastEvent?: number;
  readonly status?: 'open' | 'closed';
  /** The agent who has the conversation. */
  readonly agent?: { readonly name: string | null } | null;
  readonly read: { readonly customer: number; readonly agent: number };
}

export interface MessageFrame extends OfEvent {
  readonly type: 'message';
  readonly status?: 'open' | 'closed';
  readonly message: Message;
}

export interface ActivityFrame extends OfEvent {
  readonly type: 'activity';
  readonly id: string;
  readonly action: string;
  readonly occurredAt: string;
  readonly agentName: string | null;
  /** The state of the conversation after the activity. */
  readonly status?: 'open' | 'closed';
  readonly agent?: { readonly name: string | null } | null;
}

export interface ReadFrame extends OfEvent {
  readonly type: 'read';
  readonly reader: 'customer' | 'agent';
  readonly sequence: number;
}

export interface TypingFrame {
  readonly type: 'typing';
  readonly senderType: string;
  readonly senderName: string | null;
  readonly active: boolean;
}

/** The customer is asked to rate the chat. */
export interface RatingRequestedFrame extends OfEvent {
  readonly type: 'rating.requested';
  readonly requestedAt: string;
}

export interface RatingFrame extends OfEvent {
  readonly type: 'rating';
  /** `event` of the `rating.requested` that is answered. */
  readonly request: number;
  readonly rating: number | null;
  readonly resolution: 0 | 1 | null;
  readonly feedback: string | null;
}

/** Frames that the application sees, by their type. */
export interface ChatFrames {
  'session.ready': ReadyFrame;
  message: MessageFrame;
  activity: ActivityFrame;
  read: ReadFrame;
  typing: TypingFrame;
  'rating.requested': RatingRequestedFrame;
  rating: RatingFrame;
}

/** What is stored of a conversation; the same object in a frame and in the history. */
export type ChatEvent = MessageFrame | ActivityFrame | ReadFrame | RatingRequestedFrame | RatingFrame;

/** Frames between the socket and the server only. */
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

/** A stored message. */
export interface Accepted {
  readonly id: string;
  readonly sequence: number;
  readonly sentAt: string;
}
