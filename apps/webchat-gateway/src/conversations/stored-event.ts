import { jsonColumn, nullable, numberColumn, type RowOf, textColumn } from '@cxp/storage';
import type { ChatEvent, ChatEventOf } from '../chat-protocol/events';
import type { Agent, ConversationStatus } from '../chat-protocol/shapes';
import type { ActingAgent } from './chat-rules';

type Stored<Type extends ChatEvent['type'], Left extends string> = Omit<
  ChatEventOf<Type>,
  Left | 'type' | 'event'
>;

/** What `payload` holds of an event; of each also the state of the conversation after it. */
export interface Payloads {
  readonly message: Omit<ChatEventOf<'message'>['message'], 'id' | 'clientId' | 'sentAt'>;
  readonly activity: {
    readonly action: string;
    /** Null: when it was stored. */
    readonly occurredAt: string | null;
    readonly by: ActingAgent | null;
  };
  readonly read: Stored<'read', never>;
  readonly 'rating.requested': Stored<'rating.requested', 'requestedAt'>;
  readonly rating: Stored<'rating', 'clientId' | 'submittedAt'>;
}

const eventColumns = <Type extends ChatEvent['type']>(from: string) => ({
  event: numberColumn(`${from}.event`),
  type: textColumn<Type>(`${from}.type`),
  id: nullable(textColumn(`${from}.id`)),
  clientId: nullable(textColumn(`${from}.client_id`)),
  storedAt: textColumn(`to_char(${from}.stored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`),
  payload: jsonColumn<Payloads[Type] & { readonly status: ConversationStatus; readonly agent: Agent }>(
    `${from}.payload`,
  ),
});

/** The columns of events in a table or function of this name. */
export const columnsOf = (from: string) => eventColumns<ChatEvent['type']>(from);

/** An event, as `webchat.event` has it. */
export type StoredEvent = {
  [Type in ChatEvent['type']]: RowOf<ReturnType<typeof eventColumns<Type>>>;
}[ChatEvent['type']];

/** An event, as frames and the history have it. */
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
      return {
        ...{ type: 'activity', event, id: id!, action, occurredAt: occurredAt ?? storedAt },
        ...{ agentName, status, agent },
      };
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
