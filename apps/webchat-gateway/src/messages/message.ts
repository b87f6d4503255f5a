/** Who writes into a conversation. */
export const SENDER_TYPES = ['customer', 'agent', 'bot', 'system'] as const;
export type SenderType = (typeof SENDER_TYPES)[number];

/** The most characters of one message. */
export const MESSAGE_TEXT_LENGTH = 4_000;

/** A message as everybody sees it: over the socket and over REST. */
export interface Message {
  readonly id: string;
  /** From 1, without gaps, in the order in which the conversation's messages were stored. */
  readonly sequence: number;
  readonly senderType: SenderType;
  readonly senderName: string | null;
  readonly text: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly sentAt: string;
  /** The id that the customer's client gave it, by which that client recognises it. */
  readonly clientId: string | null;
}

/** A message on its way in. `id` and `clientId` make sending it again harmless. */
export type NewMessage = Omit<Message, 'sequence' | 'sentAt'>;
