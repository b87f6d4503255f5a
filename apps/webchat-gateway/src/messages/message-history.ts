import { Injectable } from '@nestjs/common';
import type { Message, ReadMarks } from '../chat-protocol/shapes';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { ConversationRepository } from '../conversations/conversation.repository';
import { readHistory, type HistoryItems, type HistoryQuery } from '../conversations/history-query';
import { MessageRepository } from './message.repository';

export interface HistoryPage extends HistoryItems<Message> {
  readonly read: ReadMarks;
}

@Injectable()
export class MessageHistory {
  constructor(
    private readonly messages: MessageRepository,
    private readonly conversations: ConversationRepository,
  ) {}

  /** @throws ProblemError when the organization has no such conversation */
  async page(organizationId: string, conversationId: string, query: HistoryQuery): Promise<HistoryPage> {
    const state = await this.conversations.state(organizationId, conversationId);
    if (!state) throw conversationNotFound(conversationId);
    const page = await readHistory(this.messages, organizationId, conversationId, query);
    return { ...page, read: state.read };
  }
}
