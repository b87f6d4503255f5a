/** The Redis channel of one conversation. */
export function liveChannel(organizationId: string, conversationId: string): string {
  return `webchat:{${organizationId}}:live:${conversationId}`;
}

/** What is published on a conversation's channel. Frames are ready to be sent: no process parses them to pass them on. */
export type LiveEvent =
  /** A stored event. */
  | { readonly kind: 'event'; readonly event: number; readonly frame: string }
  /** A frame that is not stored. */
  | { readonly kind: 'signal'; readonly frame: string }
  /** No session is over the conversation any more. */
  | { readonly kind: 'ended' };

/** The form on the channel is a word, a space and the rest; the word is the number of a stored event, or a kind. */
export function encodeLiveEvent(live: LiveEvent): string {
  switch (live.kind) {
    case 'event':
      return `${live.event} ${live.frame}`;
    case 'signal':
      return `signal ${live.frame}`;
    case 'ended':
      return 'ended ';
  }
}

/** @returns undefined for a kind of another release */
export function decodeLiveEvent(text: string): LiveEvent | undefined {
  const end = text.indexOf(' ');
  const word = text.slice(0, end);
  const rest = text.slice(end + 1);
  if (word === 'signal') return { kind: 'signal', frame: rest };
  if (word === 'ended') return { kind: 'ended' };
  const event = Number(word);
  return Number.isInteger(event) ? { kind: 'event', event, frame: rest } : undefined;
}
