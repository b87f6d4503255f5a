import type { ChatEvent } from '../chat-protocol/events';

/** The Redis channel of one conversation. */
export function liveChannel(organizationId: string, conversationId: string): string {
  return `webchat:{${organizationId}}:live:${conversationId}`;
}

/** What is published on a conversation's channel. Frames are ready to be sent: no process parses them to pass them on. */
export type LiveEvent =
  /** A stored event. */
  | { readonly kind: 'event'; readonly event: number; readonly frame: string }
  /** There are events up to this number. */
  | { readonly kind: 'announcement'; readonly event: number }
  /** A frame that is not stored. */
  | { readonly kind: 'signal'; readonly frame: string }
  /** The socket of this id has to close: newer sockets of its session take its place. */
  | { readonly kind: 'replaced'; readonly socketId: string };

/** The form on the channel is a word, a space and the rest; the word is the number of a stored event, or one of these. */
const [ANNOUNCED, SIGNAL, REPLACED] = ['announced', 'signal', 'replaced'];

export function encodeEvent(event: ChatEvent): string {
  return `${event.event} ${JSON.stringify(event)}`;
}

export function encodeAnnouncement(event: number): string {
  return `${ANNOUNCED} ${event}`;
}

export function encodeSignal(frame: object): string {
  return `${SIGNAL} ${JSON.stringify(frame)}`;
}

export function encodeReplaced(socketId: string): string {
  return `${REPLACED} ${socketId}`;
}

export function decodeLiveEvent(text: string): LiveEvent {
  const end = text.indexOf(' ');
  const word = text.slice(0, end);
  const rest = text.slice(end + 1);
  switch (word) {
    case REPLACED:
      return { kind: 'replaced', socketId: rest };
    case ANNOUNCED:
      return { kind: 'announcement', event: Number(rest) };
    case SIGNAL:
      return { kind: 'signal', frame: rest };
    default:
      return { kind: 'event', event: Number(word), frame: rest };
  }
}
