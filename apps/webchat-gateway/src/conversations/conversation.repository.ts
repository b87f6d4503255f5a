import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PreparedStatement } from '@cxp/storage';
import { NEXT_CHANGE } from './next-change';

/** A customer as a session's creator names them. */
export interface WebchatUser {
  readonly id: string;
  readonly name?: string | null;
  readonly email?: string | null;
  readonly phone?: string | null;
}

/** The two sides of a conversation that read it. */
export type Reader = 'customer' | 'agent';

/** Up to which message each side has read; 0: none. */
export type ReadMarks = Readonly<Record<Reader, number>>;

export interface ConversationState {
  /** Of its last message; 0: there is none. */
  readonly lastSequence: number;
  readonly read: ReadMarks;
}

const READ_COLUMN: Readonly<Record<Reader, string>> = {
  customer: 'customer_read_sequence',
  agent: 'agent_read_sequence',
};

export const FIND_OR_CREATE_CONVERSATION = new PreparedStatement<{ id: string }>(
  'find-or-create-conversation',
  `
  WITH found AS (
    INSERT INTO webchat.conversation (organization_id, user_id, user_name, user_email, user_phone)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (organization_id, user_id) DO UPDATE
      SET user_name = coalesce(excluded.user_name, conversation.user_name),
          user_email = coalesce(excluded.user_email, conversation.user_email),
          user_phone = coalesce(excluded.user_phone, conversation.user_phone),
          updated_at = CASE
            WHEN excluded.user_name <> coalesce(conversation.user_name, '')
              OR excluded.user_email <> coalesce(conversation.user_email, '')
              OR excluded.user_phone <> coalesce(conversation.user_phone, '')
            THEN ${NEXT_CHANGE} ELSE conversation.updated_at END
    RETURNING organization_id, id
  ), event AS (
    INSERT INTO webchat.outbox (organization_id, conversation_id) SELECT organization_id, id FROM found
  )
  SELECT id FROM found`,
);

@Injectable()
export class ConversationRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The user's conversation, a new one if there was none. One statement over the unique `user_id`: however many ask at
   * once, they all get the same.
   * @returns its id
   */
  async findOrCreate(organizationId: string, user: WebchatUser): Promise<string> {
    const [conversation] = await FIND_OR_CREATE_CONVERSATION.run(this.dataSource.manager, [
      organizationId,
      user.id,
      user.name,
      user.email,
      user.phone,
    ]);
    return conversation!.id;
  }

  async state(organizationId: string, conversationId: string): Promise<ConversationState | undefined> {
    const [row]: { lastSequence: string; customer: string; agent: string }[] = await this.dataSource.query(
      `SELECT last_sequence AS "lastSequence", customer_read_sequence AS customer, agent_read_sequence AS agent
       FROM webchat.conversation WHERE organization_id = $1 AND id = $2`,
      [organizationId, conversationId],
    );
    return (
      row && {
        lastSequence: Number(row.lastSequence),
        read: { customer: Number(row.customer), agent: Number(row.agent) },
      }
    );
  }

  /**
   * Moves a side's read mark forward, at most to the last message.
   * @returns where it is now; undefined when it was there already, or further
   */
  async markRead(
    organizationId: string,
    conversationId: string,
    reader: Reader,
    sequence: number,
  ): Promise<number | undefined> {
    const column = READ_COLUMN[reader];
    const [[row]]: [{ sequence: string }[], number] = await this.dataSource.query(
      `UPDATE webchat.conversation SET ${column} = least($3, last_sequence)
       WHERE organization_id = $1 AND id = $2 AND ${column} < least($3, last_sequence)
       RETURNING ${column} AS sequence`,
      [organizationId, conversationId, sequence],
    );
    return row && Number(row.sequence);
  }
}
