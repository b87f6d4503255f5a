/** Something that happened in a conversation, on its way to the sockets that are connected to it. */
export interface LiveEvent {
  /** The number of the message that it tells of; 0: it tells of none. */
  readonly sequence: number;
  /** The frame for the sockets, ready to be sent; empty: only that there are messages up to `sequence`. */
  readonly frame: string;
  /** Only for the socket of this id, which has to close: newer ones of its session take its place. */
  readonly replacedSocketId?: string;
}

const REPLACED = 'replaced';

/** As it travels through Redis: the number, a space, the frame. No process has to parse the frame to pass it on. */
export function encodeLiveEvent({ sequence, frame, replacedSocketId }: LiveEvent): string {
  return replacedSocketId ? `${REPLACED} ${replacedSocketId}` : `${sequence} ${frame}`;
}

export function decodeLiveEvent(text: string): LiveEvent {
  const end = text.indexOf(' ');
  const head = text.slice(0, end);
  const rest = text.slice(end + 1);
  return head === REPLACED
    ? { sequence: 0, frame: '', replacedSocketId: rest }
    : { sequence: Number(head), frame: rest };
}
