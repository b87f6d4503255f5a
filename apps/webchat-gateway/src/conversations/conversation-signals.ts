import { Injectable } from '@nestjs/common';
import type { ServerFrameOf } from '../chat-protocol/server-frames';
import type { Reader } from '../chat-protocol/shapes';
import { LivePublisher } from '../live/live-publisher';
import { ConversationRepository } from './conversation.repository';

/** What the sides of a conversation show each other besides messages: that they type, and how far they have read. */
@Injectable()
export class ConversationSignals {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly live: LivePublisher,
  ) {}

  typing(
    organizationId: string,
    conversationId: string,
    typing: Omit<ServerFrameOf<'typing'>, 'type'>,
  ): void {
    this.live.publishTyping(organizationId, conversationId, typing);
  }

  async read(
    organizationId: string,
    conversationId: string,
    reader: Reader,
    sequence: number,
  ): Promise<void> {
    const event = await this.conversations.markRead(organizationId, conversationId, reader, sequence);
    if (event) this.live.publishEvent(organizationId, conversationId, event);
  }
}
