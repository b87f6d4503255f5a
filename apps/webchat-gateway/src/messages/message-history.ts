import { Injectable } from '@nestjs/common';
import { ConversationRepository, type ReadMarks } from '../conversations/conversation.repository';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import type { Message } from './message';
import { MessageRepository } from './message.repository';

/** Which part of a history: after a number and onwards, else before a number and backwards, else the end of it. */
export interface HistoryWindow {
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
}

export interface HistoryPage {
  /** Oldest first. */
  readonly items: readonly Message[];
  /** Whether there are more in the direction of the page. */
  readonly hasMore: boolean;
  readonly read: ReadMarks;
}

@Injectable()
export class MessageHistory {
  constructor(
    private readonly messages: MessageRepository,
    private readonly conversations: ConversationRepository,
  ) {}

  /** @throws ProblemError when the organization has no such conversation */
  async page(organizationId: string, conversationId: string, window: HistoryWindow): Promise<HistoryPage> {
    const [state, found] = await Promise.all([
      this.conversations.state(organizationId, conversationId),
      this.find(organizationId, conversationId, window),
    ]);
    if (!state) throw conversationNotFound(conversationId);
    const items = window.after === undefined ? found.slice(-window.limit) : found.slice(0, window.limit);
    return { items, hasMore: found.length > window.limit, read: state.read };
  }

  /** One more than asked for, which shows whether there are more. */
  private find(organizationId: string, conversationId: string, { after, before, limit }: HistoryWindow) {
    return after === undefined
      ? this.messages.listBefore(organizationId, conversationId, before ?? Number.MAX_SAFE_INTEGER, limit + 1)
      : this.messages.listAfter(organizationId, conversationId, after, limit + 1);
  }
}
