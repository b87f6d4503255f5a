import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { ChatEvent } from '../chat-protocol/events';
import type { ConversationStatus } from '../chat-protocol/shapes';
import type { NumberedItems } from '../conversations/history-query';
import { MESSAGE_COLUMNS, toMessage, type MessageRow } from '../messages/message.repository';

/** `payload` is what the event has besides its number and type. A message's text is stored once, with the message. */
type EventRow =
  | (MessageRow & {
      readonly event: string;
      readonly type: 'message';
      readonly payload: { readonly status: ConversationStatus };
    })
  | {
      readonly event: string;
      readonly type: Exclude<ChatEvent['type'], 'message'>;
      readonly payload: object;
    };

const EVENTS = `SELECT event.event, event.type, event.payload, ${MESSAGE_COLUMNS}
  FROM webchat.event LEFT JOIN webchat.message
    ON message.organization_id = event.organization_id AND message.conversation_id = event.conversation_id
    AND message.sequence = event.message_sequence
  WHERE event.organization_id = $1 AND event.conversation_id = $2`;

/** The events of conversations. Each feature writes its own ones, in the statement that stores what happened. */
@Injectable()
export class EventReadModel implements NumberedItems<ChatEvent> {
  constructor(private readonly manager: EntityManager) {}

  /** Events after a number, oldest first. */
  async listAfter(
    organizationId: string,
    conversationId: string,
    event: number,
    limit: number,
  ): Promise<ChatEvent[]> {
    const rows: EventRow[] = await this.manager.query(
      `${EVENTS} AND event.event > $3 ORDER BY event.event LIMIT $4`,
      [organizationId, conversationId, event, limit],
    );
    return rows.map(toEvent);
  }

  /** The last events before a number, oldest first. */
  async listBefore(
    organizationId: string,
    conversationId: string,
    event: number,
    limit: number,
  ): Promise<ChatEvent[]> {
    const rows: EventRow[] = await this.manager.query(
      `${EVENTS} AND event.event < $3 ORDER BY event.event DESC LIMIT $4`,
      [organizationId, conversationId, event, limit],
    );
    return rows.reverse().map(toEvent);
  }
}

function toEvent(row: EventRow): ChatEvent {
  const event = Number(row.event);
  if (row.type === 'message') {
    return { event, type: 'message', status: row.payload.status, message: toMessage(row) };
  }
  return { event, type: row.type, ...row.payload } as ChatEvent;
}
