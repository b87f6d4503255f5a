/** Something that happened in a conversation, on its way to the sockets that are connected to it. */
export interface LiveEvent {
  /** The number of the message that it tells of, or of the last one there is; 0: it tells of none. */
  readonly sequence: number;
  /** The frame for the sockets, ready to be sent; empty: only that there are messages up to `sequence`. */
  readonly frame: string;
}

/** As it travels through Redis: the number, a space, the frame. No process has to parse the frame to pass it on. */
export function encodeLiveEvent({ sequence, frame }: LiveEvent): string {
  return `${sequence} ${frame}`;
}

export function decodeLiveEvent(text: string): LiveEvent {
  const end = text.indexOf(' ');
  return { sequence: Number(text.slice(0, end)), frame: text.slice(end + 1) };
}
