import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { nullable, numberColumn, type RowOf, Statement, textColumn, violates } from '@cxp/storage';
import type { ChatEventOf } from '../chat-protocol/events';
import type { ConversationStatus, Message, SenderType } from '../chat-protocol/shapes';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { CLOCK, nextChange, STATUS } from '../conversations/conversation-change';
import { queueDelivery } from '../conversations/queue-delivery';
import { eventValues, frameTime } from '../conversations/stored-event';
import { WebchatSettings } from '../settings';

/** A message on its way in. `id` and `clientId` make sending it again harmless. */
export type NewMessage = Omit<Message, 'sequence' | 'sentAt'>;

/** A message on its way into its conversation. */
export interface SentMessage {
  readonly conversationId: string;
  readonly message: NewMessage;
}

/** A message that is stored; with its event, unless it, or one with its id, was stored before. */
export interface Appended {
  readonly message: Message;
  readonly event?: ChatEventOf<'message'>;
}

/** A message, as frames have it. */
export const MESSAGE_COLUMNS = {
  id: textColumn('message.id'),
  sequence: numberColumn('message.sequence'),
  senderType: textColumn<SenderType>('message.sender_type'),
  senderName: nullable(textColumn('message.sender_name')),
  text: textColumn('message.text'),
  sentAt: textColumn(frameTime('message.sent_at')),
  clientId: nullable(textColumn('message.client_id')),
};

const FIND_MESSAGE = new Statement(
  MESSAGE_COLUMNS,
  (list) => `
  SELECT ${list} FROM webchat.message
  WHERE organization_id = $1 AND conversation_id = $2 AND (id = $3 OR client_id = $4)`,
);

/** What a message gets when it is stored. */
const APPENDED = {
  sequence: numberColumn('sequence'),
  event: numberColumn('event'),
  sentAt: textColumn(frameTime('sent_at')),
  status: textColumn<ConversationStatus>('status'),
};

/** In the order of the values of the statements below. */
const MESSAGE_VALUES = ['id', 'clientId', 'senderType', 'senderName', 'text'] as const;

/** $8: whether a conversation that is locked is passed over, $9: whether it is delivered. */
export const APPEND_ONE = new Statement(
  APPENDED,
  (list) => `SELECT ${list} FROM webchat.append_message($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
  'prepared',
);

/**
 * Stores one message in each of some conversations that are not locked, with its numbers, its event, its conversation's change, and queues
 * their delivery. The conversations' rows are locked first, so numbers become visible in their order and without gaps: a reader that sees
 * number n can read all before it. A message of the customer opens a closed conversation again.
 */
const APPEND_SEVERAL = new Statement(
  /** `number`: which of the messages, from 1. */
  { ...APPENDED, number: numberColumn('number') },
  (list) => `
  WITH sent AS (
    SELECT * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY
      AS sent (conversation_id, id, client_id, sender_type, sender_name, text, number)
  ), clock AS MATERIALIZED (
    SELECT ${CLOCK} AS now
  ), free AS (
    SELECT conversation.id FROM webchat.conversation
    WHERE conversation.organization_id = $1 AND conversation.id = ANY ($2)
    FOR NO KEY UPDATE SKIP LOCKED
  ), stored AS (
    UPDATE webchat.conversation
    SET last_sequence = conversation.last_sequence + 1,
        last_event = conversation.last_event + 1,
        is_delivered = conversation.is_delivered OR $8,
        updated_at = ${nextChange('clock.now')},
        closed_at = CASE WHEN sent.sender_type = 'customer' THEN NULL ELSE conversation.closed_at END
    FROM clock CROSS JOIN free JOIN sent ON sent.conversation_id = free.id
    WHERE conversation.organization_id = $1 AND conversation.id = free.id
    RETURNING conversation.organization_id, conversation.id AS conversation_id, conversation.last_sequence AS sequence,
      conversation.last_event AS event, conversation.updated_at AS sent_at, ${STATUS} AS status, sent.number
  ), message AS (
    INSERT INTO webchat.message
      (organization_id, conversation_id, sequence, id, client_id, sender_type, sender_name, text, sent_at)
    SELECT organization_id, conversation_id, sequence, id, client_id, sender_type, sender_name, text, sent_at
    FROM stored JOIN sent USING (number, conversation_id)
  ), happened AS (
    INSERT INTO webchat.event (organization_id, conversation_id, event, message_sequence, type, payload)
    SELECT organization_id, conversation_id, event, sequence, ${eventValues('message', { status: 'status' })}
    FROM stored
  ), change AS (
    ${queueDelivery('stored WHERE $8', 'conversation_id', 'event - 1')}
  )
  SELECT ${list} FROM stored`,
  'prepared',
);

type AppendedRow = RowOf<typeof APPENDED>;

@Injectable()
export class MessageRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly settings: WebchatSettings,
  ) {}

  /** @throws ProblemError when the organization has no such conversation, or the id belongs to another one's message */
  async append(organizationId: string, conversationId: string, message: NewMessage): Promise<Appended> {
    try {
      const stored = await this.appendOne(organizationId, { conversationId, message }, false);
      if (!stored) throw conversationNotFound(conversationId);
      return stored;
    } catch (error) {
      if (!violates(error, 'message_id_unique') && !violates(error, 'message_client_id_unique')) throw error;
      const { id, clientId } = message;
      const known = await FIND_MESSAGE.first(this.manager, [organizationId, conversationId, id, clientId]);
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
    sent: readonly SentMessage[],
  ): Promise<(Appended | undefined)[]> {
    if (sent.length === 1) return [await this.appendOne(organizationId, sent[0]!, true)];
    const column = (name: (typeof MESSAGE_VALUES)[number]) => sent.map(({ message }) => message[name]);
    const rows = await APPEND_SEVERAL.run(this.manager, [
      organizationId,
      sent.map(({ conversationId }) => conversationId),
      ...MESSAGE_VALUES.map(column),
      this.settings.deliversRecords,
    ]);
    const outcomes: (Appended | undefined)[] = sent.map(() => undefined);
    for (const { number, ...row } of rows) outcomes[number - 1] = appended(sent[number - 1]!.message, row);
    return outcomes;
  }

  private async appendOne(
    organizationId: string,
    { conversationId, message }: SentMessage,
    skipsLocked: boolean,
  ): Promise<Appended | undefined> {
    const values = MESSAGE_VALUES.map((name) => message[name]);
    const row = await APPEND_ONE.first(this.manager, [
      organizationId,
      conversationId,
      ...values,
      skipsLocked,
      this.settings.deliversRecords,
    ]);
    return row && appended(message, row);
  }
}

function appended(sent: NewMessage, { sequence, event, sentAt, status }: AppendedRow): Appended {
  const message = { ...sent, sequence, sentAt };
  return { message, event: { event, type: 'message', status, message } };
}
