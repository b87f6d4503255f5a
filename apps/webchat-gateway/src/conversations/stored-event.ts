import { jsonColumn, nullable, numberColumn, type RowOf, textColumn } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/events';
import type { Agent, ConversationStatus, Rating, Reader, SenderType } from '../chat-protocol/shapes';
import type { ActingAgent } from './chat-rules';

interface MessagePayload {
  readonly senderType: SenderType;
  readonly senderName: string | null;
  readonly text: string;
}

interface ActivityPayload {
  readonly action: string;
  /** null means the time of storing. */
  readonly occurredAt: string | null;
  readonly by: ActingAgent | null;
}

interface ReadPayload {
  readonly reader: Reader;
  readonly upTo: number;
}

interface RatingPayload extends Rating {
  readonly request: number;
}

/** The `payload` of an event when it is appended. */
export interface Payloads {
  readonly message: MessagePayload;
  readonly activity: ActivityPayload;
  readonly read: ReadPayload;
  readonly 'rating.requested': object;
  readonly rating: RatingPayload;
}

/** @param from the name of a table or function */
export const eventColumns = (from: string) => ({
  event: numberColumn(`${from}.event`),
  type: textColumn<ChatEvent['type']>(`${from}.type`),
  id: nullable(textColumn(`${from}.id`)),
  clientId: nullable(textColumn(`${from}.client_id`)),
  storedAt: textColumn(`to_char(${from}.stored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`),
  payload: jsonColumn<unknown>(`${from}.payload`),
});

/** As in `webchat.event`. The payload also has the conversation's state after the event. */
export type StoredEvent = {
  [Type in ChatEvent['type']]: Omit<RowOf<ReturnType<typeof eventColumns>>, 'type' | 'payload'> & {
    readonly type: Type;
    readonly payload: Payloads[Type] & { readonly status: ConversationStatus; readonly agent: Agent };
  };
}[ChatEvent['type']];

export function frameOf({ event, id, clientId, storedAt, ...stored }: StoredEvent): ChatEvent {
  switch (stored.type) {
    case 'message': {
      const { status, agent: _, ...payload } = stored.payload;
      const message = { id: id!, ...payload, sentAt: storedAt, clientId };
      return { type: 'message', event, status, message };
    }
    case 'activity': {
      const { action, occurredAt, by, status, agent } = stored.payload;
      const agentName = by?.name ?? null;
      // Area B needs microseconds; frames show milliseconds.
      const at = occurredAt ? new Date(occurredAt).toISOString() : storedAt;
      return { type: 'activity', event, id: id!, action, occurredAt: at, agentName, status, agent };
    }
    case 'read': {
      const { reader, upTo } = stored.payload;
      return { type: 'read', event, reader, upTo };
    }
    case 'rating.requested':
      return { type: 'rating.requested', event, requestedAt: storedAt };
    case 'rating': {
      const { status: _, agent: __, ...answer } = stored.payload;
      return { type: 'rating', event, ...answer, clientId: clientId!, submittedAt: storedAt };
    }
  }
}
