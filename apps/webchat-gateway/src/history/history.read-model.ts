import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { ChatEvent } from '../chat-protocol/events';
import type { Message } from '../chat-protocol/shapes';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { ConversationRepository, type ConversationState } from '../conversations/conversation.repository';
import { EVENT_FRAME, type StoredEvent } from '../conversations/stored-event';
import { MESSAGE_COLUMNS } from '../messages/message.repository';
import type { EventPage, HistoryResponse } from './history-page';
import type { HistoryQuery } from './history-query';

/** A way to look at what happened in a conversation: numbered items, read by the index on their numbers. */
interface View<Row, Item> {
  /** SQL for the items of the conversation $2 of the organization $1. */
  readonly rows: string;
  /** SQL for the number of an item. */
  readonly number: string;
  readonly toItem: (row: Row) => Item;
}

const EVENTS: View<Message & { readonly frame: StoredEvent }, ChatEvent> = {
  rows: `SELECT ${EVENT_FRAME} AS frame, ${MESSAGE_COLUMNS}
    FROM webchat.event LEFT JOIN webchat.message
      ON message.organization_id = event.organization_id AND message.conversation_id = event.conversation_id
      AND message.sequence = event.message_sequence
    WHERE event.organization_id = $1 AND event.conversation_id = $2`,
  number: 'event.event',
  toItem: ({ frame, ...message }) => (frame.type === 'message' ? { ...frame, message } : frame),
};

const MESSAGES: View<Message, Message> = {
  rows: `SELECT ${MESSAGE_COLUMNS} FROM webchat.message
    WHERE message.organization_id = $1 AND message.conversation_id = $2`,
  number: 'message.sequence',
  toItem: (message) => message,
};

/** The history of conversations. Each feature stores its events in the statement that stores what happened. */
@Injectable()
export class HistoryReadModel {
  constructor(
    private readonly manager: EntityManager,
    private readonly conversations: ConversationRepository,
  ) {}

  /**
   * The state is read before the events. A client that goes on after `lastEvent`, or after the last item if that is later,
   * misses nothing.
   * @throws ProblemError when the organization has no such conversation
   */
  async events(organizationId: string, conversationId: string, query: HistoryQuery): Promise<EventPage> {
    const { lastEvent, status, agent, read } = await this.state(organizationId, conversationId);
    return {
      ...(await this.page(EVENTS, organizationId, conversationId, query)),
      lastEvent,
      status,
      agent,
      read,
    };
  }

  /** @throws ProblemError when the organization has no such conversation */
  async messages(
    organizationId: string,
    conversationId: string,
    query: HistoryQuery,
  ): Promise<HistoryResponse> {
    const { read } = await this.state(organizationId, conversationId);
    return { ...(await this.page(MESSAGES, organizationId, conversationId, query)), read };
  }

  /** The next events after a number, oldest first. */
  eventsAfter(
    organizationId: string,
    conversationId: string,
    event: number,
    limit: number,
  ): Promise<ChatEvent[]> {
    return this.list(EVENTS, '>', [organizationId, conversationId, event, limit]);
  }

  private async state(organizationId: string, conversationId: string): Promise<ConversationState> {
    const state = await this.conversations.state(organizationId, conversationId);
    if (!state) throw conversationNotFound(conversationId);
    return state;
  }

  private async page<Row, Item>(
    view: View<Row, Item>,
    organizationId: string,
    conversationId: string,
    { after, before = Number.MAX_SAFE_INTEGER, limit }: HistoryQuery,
  ): Promise<{ items: Item[]; hasMore: boolean }> {
    // One more than asked for shows whether there are more.
    const of = [organizationId, conversationId, after ?? before, limit + 1] as const;
    if (after !== undefined) {
      const found = await this.list(view, '>', of);
      return { items: found.slice(0, limit), hasMore: found.length > limit };
    }
    const found = (await this.list(view, '<', of)).reverse();
    return { items: found.slice(-limit), hasMore: found.length > limit };
  }

  /** Items on one side of a number, those closest to it first. */
  private async list<Row, Item>(
    { rows, number, toItem }: View<Row, Item>,
    side: '<' | '>',
    values: readonly [organizationId: string, conversationId: string, number: number, limit: number],
  ): Promise<Item[]> {
    const direction = side === '<' ? 'DESC' : 'ASC';
    const found = await this.manager.query<Row[]>(
      `${rows} AND ${number} ${side} $3 ORDER BY ${number} ${direction} LIMIT $4`,
      [...values],
    );
    return found.map(toItem);
  }
}
