import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Message } from '../chat-protocol/shapes';
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
    const id = message.id ?? randomUUID();
    const stored = await this.messages.append(organizationId, conversationId, { ...message, id });
    this.live.publishEvent(organizationId, conversationId, stored.event);
    return stored.message;
  }
}
