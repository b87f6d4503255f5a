import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import type { Message } from '../chat-protocol/shapes';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { LivePublisher } from '../live/live-publisher';
import { MessageWriter } from './message-writer';
import type { NewMessage } from './message.repository';

@Injectable()
export class MessageService {
  constructor(
    private readonly messages: MessageWriter,
    private readonly live: LivePublisher,
  ) {}

  /**
   * Stores a message and publishes it to the conversation's sockets. A message that was sent before is returned as it was
   * stored.
   * @throws ProblemError when the organization has no such conversation, or the id belongs to another one's message
   */
  async send(
    organizationId: string,
    conversationId: string,
    message: Omit<NewMessage, 'id'> & { readonly id?: string },
  ): Promise<Message> {
    const appended = await this.messages.append(organizationId, conversationId, {
      ...message,
      id: message.id ?? randomUUID(),
    });
    switch (appended.outcome) {
      case 'stored':
        this.live.publishEvent(organizationId, conversationId, appended.event);
        return appended.message;
      case 'known':
        return appended.message;
      case 'no_conversation':
        throw conversationNotFound(conversationId);
      case 'id_taken':
        rejectAsInvalid({
          loc: ['body', 'id'],
          msg: 'id belongs to a message of another conversation',
          type: 'value_error',
        });
    }
  }
}
