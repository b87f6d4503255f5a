import { Injectable } from '@nestjs/common';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { ConversationRepository } from '../conversations/conversation.repository';
import { readHistory, type HistoryQuery } from '../conversations/history-query';
import type { EventPage } from './event-page';
import { EventReadModel } from './event.read-model';

@Injectable()
export class EventHistory {
  constructor(
    private readonly events: EventReadModel,
    private readonly conversations: ConversationRepository,
  ) {}

  /**
   * The state is read before the events. A client that goes on after `lastEvent`, or after the last item if that is later,
   * misses nothing.
   * @throws ProblemError when the organization has no such conversation
   */
  async page(organizationId: string, conversationId: string, query: HistoryQuery): Promise<EventPage> {
    const state = await this.conversations.state(organizationId, conversationId);
    if (!state) throw conversationNotFound(conversationId);
    const { lastEvent, status, agent, read } = state;
    const page = await readHistory(this.events, organizationId, conversationId, query);
    return { ...page, lastEvent, status, agent, read };
  }
}
