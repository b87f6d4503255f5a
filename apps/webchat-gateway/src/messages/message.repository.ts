import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { booleanColumn, nullable, numberColumn, Statement, textColumn, violates } from '@cxp/storage';
import type { ChatEventOf } from '../chat-protocol/events';
import type { ConversationStatus, Message, SenderType } from '../chat-protocol/shapes';
import { IS_ANONYMIZED } from '../conversations/anonymized';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { NEXT_CHANGE, STATUS } from '../conversations/conversation.repository';
import { eventValues, frameTime } from '../conversations/stored-event';

/** A message on its way in. `id` and `clientId` make sending it again harmless. */
export type NewMessage = Omit<Message, 'sequence' | 'sentAt'>;

/** A message on its way into its conversation. */
export interface SentMessage {
  readonly conversationId: string;
  readonly message: NewMessage;
}

/** What is stored instead in a conversation that is anonymized. */
const NOTHING_PERSONAL = { clientId: null, senderName: null, text: '' };

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
  /** Which of the messages, from 1. */
  number: numberColumn('number'),
  sequence: numberColumn('last_sequence'),
  event: numberColumn('last_event'),
  sentAt: textColumn(frameTime('updated_at')),
  status: textColumn<ConversationStatus>('status'),
  isAnonymized: booleanColumn('is_anonymized'),
};

/**
 * Stores one message in each of some conversations, with its numbers, its event, its conversation's change and the change's outbox
 * entry. The conversations' rows are locked first, so numbers become visible in their order and without gaps: a reader that sees
 * number n can read all before it. A message of the customer opens a closed conversation again.
 * @param locked SQL: what becomes of conversations whose rows are locked
 */
function appendMessages(locked: 'SKIP LOCKED' | '') {
  return new Statement(
    APPENDED,
    (list) => `
  WITH sent AS (
    SELECT * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY
      AS sent (conversation_id, id, client_id, sender_type, sender_name, text, number)
  ), free AS (
    SELECT conversation.id FROM webchat.conversation
    WHERE conversation.organization_id = $1 AND conversation.id = ANY ($2)
    FOR NO KEY UPDATE ${locked}
  ), conversation AS (
    UPDATE webchat.conversation
    SET last_sequence = conversation.last_sequence + 1,
        last_event = conversation.last_event + 1,
        updated_at = ${NEXT_CHANGE},
        closed_at = CASE WHEN sent.sender_type = 'customer' THEN NULL ELSE conversation.closed_at END
    FROM free JOIN sent ON sent.conversation_id = free.id
    WHERE conversation.organization_id = $1 AND conversation.id = free.id
    RETURNING conversation.organization_id, conversation.id AS conversation_id, conversation.last_sequence,
      conversation.last_event, conversation.updated_at, ${STATUS} AS status, sent.number,
      ${IS_ANONYMIZED} AS is_anonymized
  ), message AS (
    INSERT INTO webchat.message
      (organization_id, conversation_id, sequence, id, client_id, sender_type, sender_name, text, sent_at)
    SELECT organization_id, conversation_id, last_sequence, id, CASE WHEN NOT is_anonymized THEN client_id END, sender_type,
      CASE WHEN NOT is_anonymized THEN sender_name END, CASE WHEN is_anonymized THEN '' ELSE text END, updated_at
    FROM conversation JOIN sent USING (number, conversation_id)
  ), event AS (
    INSERT INTO webchat.event (organization_id, conversation_id, event, message_sequence, type, payload)
    SELECT organization_id, conversation_id, last_event, last_sequence, ${eventValues('message', { status: 'status' })}
    FROM conversation
  ), change AS (
    INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence)
    SELECT organization_id, conversation_id, last_sequence FROM conversation
  )
  SELECT ${list} FROM conversation`,
    'prepared',
  );
}

/** A conversation that is busy must not hold up the others. */
const APPEND_WHERE_FREE = appendMessages('SKIP LOCKED');
export const APPEND = appendMessages('');

@Injectable()
export class MessageRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @throws ProblemError when the organization has no such conversation, or the id belongs to another one's message */
  async append(organizationId: string, conversationId: string, message: NewMessage): Promise<Appended> {
    try {
      const [stored] = await this.appendBy(APPEND, organizationId, [{ conversationId, message }]);
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
  appendTogether(organizationId: string, sent: readonly SentMessage[]): Promise<(Appended | undefined)[]> {
    return this.appendBy(APPEND_WHERE_FREE, organizationId, sent);
  }

  private async appendBy(
    statement: typeof APPEND,
    organizationId: string,
    sent: readonly SentMessage[],
  ): Promise<(Appended | undefined)[]> {
    const column = (name: keyof NewMessage) => sent.map(({ message }) => message[name]);
    const rows = await statement.run(this.manager, [
      organizationId,
      sent.map(({ conversationId }) => conversationId),
      ...(['id', 'clientId', 'senderType', 'senderName', 'text'] as const).map(column),
    ]);
    const outcomes: (Appended | undefined)[] = sent.map(() => undefined);
    for (const { number, sequence, event, sentAt, status, isAnonymized } of rows) {
      const stored = { ...sent[number - 1]!.message, ...(isAnonymized && NOTHING_PERSONAL) };
      const message = { ...stored, sequence, sentAt };
      outcomes[number - 1] = { message, event: { event, type: 'message', status, message } };
    }
    return outcomes;
  }
}
