import { lastByKey, type MessageData } from '@cxp/platform-records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { instant } from './instant';
import { RecordTable } from './record-table';

const MESSAGES = new RecordTable<ReturnType<typeof toRow>, 'conversation_id' | 'sender_type'>({
  name: 'contact_center.message',
  columns: { id: 'text', conversation_id: 'text', sender_type: 'text', sent_at: 'timestamptz' },
  returned: ['conversation_id', 'sender_type'],
});

@Injectable()
export class MessageRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @returns the ids of the conversations whose rows can have changed: only agents' messages count */
  async store(organizationId: string, records: readonly MessageData[]): Promise<string[]> {
    const rows = lastByKey(records, ({ id }) => id).map(toRow);
    const { written, replaced } = await MESSAGES.store(this.manager, organizationId, rows);
    return [...written, ...replaced]
      .filter(({ sender_type }) => sender_type === 'agent')
      .map(({ conversation_id }) => conversation_id);
  }
}

function toRow({ id, conversationId, senderType, sentAt }: MessageData) {
  return { id, conversation_id: conversationId, sender_type: senderType, sent_at: instant(sentAt) };
}
