import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { numberColumn, type RowOf, Statement, textColumn, violates } from '@cxp/storage';
import type { ChatEventOf } from '../chat-protocol/events';
import type { ConversationStatus, Message } from '../chat-protocol/shapes';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { NEXT_CHANGE, STATUS } from '../conversations/conversation.repository';
import { eventValues, frameTime } from '../conversations/stored-event';

/** A message on its way in. `id` and `clientId` make sending it again harmless. */
export type NewMessage = Omit<Message, 'sequence' | 'sentAt'>;

/** A message that is stored; with its event, unless it, or one with its id, was stored before. */
export interface Appended {
  readonly message: Message;
  readonly event?: ChatEventOf<'message'>;
}

/** SQL for a message, as frames have it. */
export const MESSAGE_COLUMNS = `message.id, message.sequence::float8 AS sequence, message.sender_type AS "senderType",
  message.sender_name AS "senderName", message.text, ${frameTime('message.sent_at')} AS "sentAt", message.client_id AS "clientId"`;

/** SQL for the event of a message, without the message. */
const EVENT = eventValues('message', { status: 'status' });

/**
 * Stores a message with its numbers, its event, its conversation's change and the change's outbox entry. The first part
 * locks the conversation's row, so numbers become visible in their order and without gaps: a reader that sees number n
 * can read all before it. A message of the customer opens a closed conversation again.
 */
export const APPEND_MESSAGE = `
  WITH conversation AS (
    UPDATE webchat.conversation
    SET last_sequence = last_sequence + 1,
        last_event = last_event + 1,
        updated_at = ${NEXT_CHANGE},
        closed_at = CASE WHEN $5 = 'customer' THEN NULL ELSE closed_at END
    WHERE organization_id = $1 AND id = $2
    RETURNING organization_id, id, last_sequence, last_event, updated_at, ${STATUS} AS status
  ), message AS (
    INSERT INTO webchat.message
      (organization_id, conversation_id, sequence, id, client_id, sender_type, sender_name, text, sent_at)
    SELECT organization_id, id, last_sequence, $3, $4, $5, $6, $7, updated_at FROM conversation
    RETURNING *
  ), event AS (
    INSERT INTO webchat.event (organization_id, conversation_id, event, message_sequence, type, payload)
    SELECT organization_id, id, last_event, last_sequence, ${EVENT}
    FROM conversation
  ), change AS (
    INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence)
    SELECT organization_id, conversation_id, sequence FROM message
  )
  SELECT ${MESSAGE_COLUMNS}, conversation.last_event::float8 AS event, conversation.status
  FROM message CROSS JOIN conversation`;

/** What a message gets when it is stored. */
const APPENDED = {
  /** Which of the messages, from 1. */
  number: numberColumn('number'),
  sequence: numberColumn('last_sequence'),
  event: numberColumn('last_event'),
  sentAt: textColumn(frameTime('updated_at')),
  status: textColumn<ConversationStatus>('status'),
};
type AppendedRow = RowOf<typeof APPENDED>;

/**
 * As `APPEND_MESSAGE`, for one message in each of several conversations. Conversations whose rows are locked are left out: a
 * conversation that is busy must not hold up the others.
 */
const APPEND_MESSAGES = new Statement(
  APPENDED,
  (list) => `
  WITH sent AS (
    SELECT * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY
      AS sent (conversation_id, id, client_id, sender_type, sender_name, text, number)
  ), free AS (
    SELECT conversation.id FROM webchat.conversation
    WHERE conversation.organization_id = $1 AND conversation.id = ANY ($2)
    FOR NO KEY UPDATE SKIP LOCKED
  ), conversation AS (
    UPDATE webchat.conversation
    SET last_sequence = conversation.last_sequence + 1,
        last_event = conversation.last_event + 1,
        updated_at = ${NEXT_CHANGE},
        closed_at = CASE WHEN sent.sender_type = 'customer' THEN NULL ELSE conversation.closed_at END
    FROM free JOIN sent ON sent.conversation_id = free.id
    WHERE conversation.organization_id = $1 AND conversation.id = free.id
    RETURNING conversation.organization_id, conversation.id AS conversation_id, conversation.last_sequence,
      conversation.last_event, conversation.updated_at, ${STATUS} AS status, sent.number
  ), message AS (
    INSERT INTO webchat.message
      (organization_id, conversation_id, sequence, id, client_id, sender_type, sender_name, text, sent_at)
    SELECT organization_id, conversation_id, last_sequence, id, client_id, sender_type, sender_name, text, updated_at
    FROM conversation JOIN sent USING (number, conversation_id)
  ), event AS (
    INSERT INTO webchat.event (organization_id, conversation_id, event, message_sequence, type, payload)
    SELECT organization_id, conversation_id, last_event, last_sequence, ${EVENT}
    FROM conversation
  ), change AS (
    INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence)
    SELECT organization_id, conversation_id, last_sequence FROM conversation
  )
  SELECT ${list} FROM conversation`,
  'prepared',
);

@Injectable()
export class MessageRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @throws ProblemError when the organization has no such conversation, or the id belongs to another one's message */
  async append(organizationId: string, conversationId: string, message: NewMessage): Promise<Appended> {
    const { id, clientId, senderType, senderName, text } = message;
    try {
      const [row] = await this.manager.query<(Message & Omit<AppendedRow, 'number'>)[]>(APPEND_MESSAGE, [
        organizationId,
        conversationId,
        id,
        clientId,
        senderType,
        senderName,
        text,
      ]);
      if (!row) throw conversationNotFound(conversationId);
      const { event, status, ...stored } = row;
      return appended(stored, event, status);
    } catch (error) {
      if (!violates(error, 'message_id_unique') && !violates(error, 'message_client_id_unique')) throw error;
      const known = await this.find(organizationId, conversationId, message);
      if (known) return { message: known };
      rejectAsInvalid({
        loc: ['body', 'id'],
        msg: 'id belongs to a message of another conversation',
        type: 'value_error',
      });
    }
  }

  /**
   * Stores messages of different conversations by one statement: all of them, or none if one was stored before.
   * @returns what came of each, in their order; undefined: its conversation is locked, or there is none
   */
  async appendTogether(
    organizationId: string,
    sent: readonly { readonly conversationId: string; readonly message: NewMessage }[],
  ): Promise<(Appended | undefined)[]> {
    const column = (name: keyof NewMessage) => sent.map(({ message }) => message[name]);
    const rows = await APPEND_MESSAGES.run(this.manager, [
      organizationId,
      sent.map(({ conversationId }) => conversationId),
      ...(['id', 'clientId', 'senderType', 'senderName', 'text'] as const).map(column),
    ]);
    const outcomes: (Appended | undefined)[] = sent.map(() => undefined);
    for (const { number, sequence, event, sentAt, status } of rows) {
      outcomes[number - 1] = appended({ ...sent[number - 1]!.message, sequence, sentAt }, event, status);
    }
    return outcomes;
  }

  private async find(
    organizationId: string,
    conversationId: string,
    { id, clientId }: NewMessage,
  ): Promise<Message | undefined> {
    const [message] = await this.manager.query<Message[]>(
      `SELECT ${MESSAGE_COLUMNS} FROM webchat.message
       WHERE organization_id = $1 AND conversation_id = $2 AND (id = $3 OR client_id = $4)`,
      [organizationId, conversationId, id, clientId],
    );
    return message;
  }
}

function appended(message: Message, event: number, status: ConversationStatus): Appended {
  return { message, event: { event, type: 'message', status, message } };
}
