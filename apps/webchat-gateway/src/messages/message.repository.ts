import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { violates } from '@cxp/storage';
import { NEXT_CHANGE } from '../conversations/next-change';
import type { Message, NewMessage } from './message';

/** What came of storing a message: `known` when it, or one with its id, was stored before. */
export type Appended =
  | { readonly outcome: 'stored' | 'known'; readonly message: Message }
  | { readonly outcome: 'no_conversation' | 'id_taken' };

interface MessageRow extends Omit<Message, 'sequence' | 'sentAt'> {
  readonly sequence: string;
  readonly sentAt: Date;
}

const COLUMNS = `id, sequence, sender_type AS "senderType", sender_name AS "senderName", text, sent_at AS "sentAt",
  client_id AS "clientId"`;

/**
 * Stores one message together with its number, its conversation's change and the event that tells of both. The
 * conversation's row is locked by the first part, so numbers become visible in their order and none is left out: who
 * sees number n can read all before it. A message of the customer opens a closed conversation again.
 */
export const APPEND_MESSAGE = `
  WITH conversation AS (
    UPDATE webchat.conversation
    SET last_sequence = last_sequence + 1,
        updated_at = ${NEXT_CHANGE},
        closed_at = CASE WHEN $5 = 'customer' THEN NULL ELSE closed_at END
    WHERE organization_id = $1 AND id = $2
    RETURNING organization_id, id, last_sequence, updated_at
  ), message AS (
    INSERT INTO webchat.message
      (organization_id, conversation_id, sequence, id, client_id, sender_type, sender_name, text, sent_at)
    SELECT organization_id, id, last_sequence, $3, $4, $5, $6, $7, updated_at FROM conversation
    RETURNING *
  ), event AS (
    INSERT INTO webchat.outbox (organization_id, conversation_id, message_sequence)
    SELECT organization_id, conversation_id, sequence FROM message
  )
  SELECT ${COLUMNS} FROM message`;

@Injectable()
export class MessageRepository {
  constructor(private readonly dataSource: DataSource) {}

  async append(organizationId: string, conversationId: string, message: NewMessage): Promise<Appended> {
    const { id, clientId, senderType, senderName, text } = message;
    try {
      const [row]: MessageRow[] = await this.dataSource.query(APPEND_MESSAGE, [
        organizationId,
        conversationId,
        id,
        clientId,
        senderType,
        senderName,
        text,
      ]);
      return row ? { outcome: 'stored', message: toMessage(row) } : { outcome: 'no_conversation' };
    } catch (error) {
      if (!violates(error, 'message_id_unique') && !violates(error, 'message_client_id_unique')) throw error;
      const known = await this.find(organizationId, conversationId, message);
      return known ? { outcome: 'known', message: known } : { outcome: 'id_taken' };
    }
  }

  /** Messages after a number, oldest first. */
  async listAfter(
    organizationId: string,
    conversationId: string,
    sequence: number,
    limit: number,
  ): Promise<Message[]> {
    const rows: MessageRow[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM webchat.message
       WHERE organization_id = $1 AND conversation_id = $2 AND sequence > $3
       ORDER BY sequence LIMIT $4`,
      [organizationId, conversationId, sequence, limit],
    );
    return rows.map(toMessage);
  }

  /** The last messages before a number; oldest first. */
  async listBefore(
    organizationId: string,
    conversationId: string,
    sequence: number,
    limit: number,
  ): Promise<Message[]> {
    const rows: MessageRow[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM webchat.message
       WHERE organization_id = $1 AND conversation_id = $2 AND sequence < $3
       ORDER BY sequence DESC LIMIT $4`,
      [organizationId, conversationId, sequence, limit],
    );
    return rows.reverse().map(toMessage);
  }

  private async find(
    organizationId: string,
    conversationId: string,
    { id, clientId }: NewMessage,
  ): Promise<Message | undefined> {
    const [row]: MessageRow[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM webchat.message
       WHERE organization_id = $1 AND conversation_id = $2 AND (id = $3 OR client_id = $4)`,
      [organizationId, conversationId, id, clientId],
    );
    return row && toMessage(row);
  }
}

function toMessage(row: MessageRow): Message {
  return { ...row, sequence: Number(row.sequence), sentAt: row.sentAt.toISOString() };
}
