import type { ChatEvent } from '../chat-protocol/events';

/** The Redis channel of one conversation. */
export function liveChannel(organizationId: string, conversationId: string): string {
  return `webchat:{${organizationId}}:live:${conversationId}`;
}

/** What is published on a conversation's channel. Frames are ready to be sent: no process parses them to pass them on. */
export type LiveEvent =
  /** A stored event. */
  | { readonly kind: 'event'; readonly event: number; readonly frame: string }
  /** There are events up to this number; without one: there may be new events. */
  | { readonly kind: 'announcement'; readonly event: number | undefined }
  /** A frame that is not stored. */
  | { readonly kind: 'signal'; readonly frame: string }
  /** The socket of this id has to close: newer sockets of its session take its place. */
  | { readonly kind: 'replaced'; readonly socketId: string };

/*
 * The form on the channel is a word, a space and the frame. The previous release reads the word as the `sequence` of a message, or
 * 0 for any other frame. Therefore the number of an event stands at the start of its frame, and an announcement is a negative
 * number, which that release ignores.
 */
const REPLACED = 'replaced';
const EVENT_FRAME = /^\{"event":(\d+),/;

export function encodeEvent({ event, ...rest }: ChatEvent): string {
  const sequence = 'message' in rest ? rest.message.sequence : 0;
  return `${sequence} ${JSON.stringify({ event, ...rest })}`;
}

export function encodeAnnouncement(event: number): string {
  return `-${event} `;
}

export function encodeSignal(frame: object): string {
  return `0 ${JSON.stringify(frame)}`;
}

export function encodeReplaced(socketId: string): string {
  return `${REPLACED} ${socketId}`;
}

export function decodeLiveEvent(text: string): LiveEvent {
  const end = text.indexOf(' ');
  const word = text.slice(0, end);
  const rest = text.slice(end + 1);
  if (word === REPLACED) return { kind: 'replaced', socketId: rest };
  if (word.startsWith('-')) return { kind: 'announcement', event: -Number(word) };
  const event = EVENT_FRAME.exec(rest)?.[1];
  if (event) return { kind: 'event', event: Number(event), frame: rest };
  // Of the previous release: an event without its number.
  return word === '0' && rest.startsWith('{"type":"typing"')
    ? { kind: 'signal', frame: rest }
    : { kind: 'announcement', event: undefined };
}
