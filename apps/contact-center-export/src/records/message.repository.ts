import { lastByKey, type MessageData } from '@cxp/platform-records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { instant } from './instant';
import { RecordTable, type Stored } from './record-table';

const MESSAGES = new RecordTable<ReturnType<typeof toRow>, 'conversation_id' | 'sender_type'>({
  name: 'contact_center.message',
  columns: { id: 'text', conversation_id: 'text', sender_type: 'text', sent_at: 'timestamptz' },
  returned: ['conversation_id', 'sender_type'],
});

@Injectable()
export class MessageRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Only agents' messages can change rows. */
  async store(organizationId: string, records: readonly MessageData[]): Promise<Stored> {
    const rows = lastByKey(records, ({ id }) => id).map(toRow);
    const { written, replaced, growth } = await MESSAGES.store(this.manager, organizationId, rows);
    const touched = [...written, ...replaced]
      .filter(({ sender_type }) => sender_type === 'agent')
      .map(({ conversation_id }) => conversation_id);
    return { touched, growth };
  }
}

function toRow({ id, conversationId, senderType, sentAt }: MessageData) {
  return { id, conversation_id: conversationId, sender_type: senderType, sent_at: instant(sentAt) };
}
