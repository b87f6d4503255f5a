import { Injectable } from '@nestjs/common';
import { LivePublisher } from '../live/live-publisher';
import type { TypingFrame } from '../sockets/frames';
import { ConversationRepository, type Reader } from './conversation.repository';

/** What the sides of a conversation tell each other besides messages: that they type, and how far they have read. */
@Injectable()
export class ConversationSignals {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly live: LivePublisher,
  ) {}

  typing(organizationId: string, conversationId: string, typing: Omit<TypingFrame, 'type'>): void {
    this.live.publish(organizationId, conversationId, { type: 'typing', ...typing });
  }

  async read(
    organizationId: string,
    conversationId: string,
    reader: Reader,
    sequence: number,
  ): Promise<void> {
    const moved = await this.conversations.markRead(organizationId, conversationId, reader, sequence);
    if (moved !== undefined) {
      this.live.publish(organizationId, conversationId, { type: 'read', reader, sequence: moved });
    }
  }
}
