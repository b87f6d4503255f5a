import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { type Columns, jsonColumn, type RowOf, Statement } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/events';
import type { Message } from '../chat-protocol/shapes';
import { conversationNotFound } from '../conversations/conversation-id.pipe';
import { ConversationRepository, type ConversationState } from '../conversations/conversation.repository';
import { EVENT_FRAME, type StoredEvent } from '../conversations/stored-event';
import { MESSAGE_COLUMNS } from '../messages/message.repository';
import type { EventPage, MessagePage } from './history-page';
import type { HistoryQuery } from './history-query';

/** A way to look at what happened in a conversation: numbered items, read by the index on their numbers. */
class View<RowColumns extends Columns, Item> {
  private readonly before: Statement<RowColumns>;
  private readonly after: Statement<RowColumns>;

  /**
   * @param from SQL: the items of the conversation $2 of the organization $1
   * @param number SQL: the number of an item
   */
  constructor(
    columns: RowColumns,
    from: string,
    number: string,
    private readonly toItem: (row: RowOf<RowColumns>) => Item,
  ) {
    const ofSide = (side: string, order: string) =>
      new Statement(
        columns,
        (list) => `SELECT ${list} FROM ${from} AND ${number} ${side} $3 ORDER BY ${number} ${order} LIMIT $4`,
      );
    this.before = ofSide('<', 'DESC');
    this.after = ofSide('>', 'ASC');
  }

  /** Items on one side of a number, those closest to it first. */
  async list(
    manager: EntityManager,
    side: 'before' | 'after',
    values: readonly [organizationId: string, conversationId: string, number: number, limit: number],
  ): Promise<Item[]> {
    return (await this[side].run(manager, values)).map(this.toItem);
  }
}

const EVENTS = new View(
  { frame: jsonColumn<StoredEvent>(EVENT_FRAME), ...MESSAGE_COLUMNS },
  `webchat.event LEFT JOIN webchat.message
    ON message.organization_id = event.organization_id AND message.conversation_id = event.conversation_id
    AND message.sequence = event.message_sequence
  WHERE event.organization_id = $1 AND event.conversation_id = $2`,
  'event.event',
  ({ frame, ...message }): ChatEvent => (frame.type === 'message' ? { ...frame, message } : frame),
);

const MESSAGES = new View(
  MESSAGE_COLUMNS,
  'webchat.message WHERE message.organization_id = $1 AND message.conversation_id = $2',
  'message.sequence',
  (message): Message => message,
);

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
    const page = await this.page(EVENTS, organizationId, conversationId, query);
    return { ...page, lastEvent, status, agent, read };
  }

  /** @throws ProblemError when the organization has no such conversation */
  async messages(organizationId: string, conversationId: string, query: HistoryQuery): Promise<MessagePage> {
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
    return EVENTS.list(this.manager, 'after', [organizationId, conversationId, event, limit]);
  }

  private async state(organizationId: string, conversationId: string): Promise<ConversationState> {
    const state = await this.conversations.state(organizationId, conversationId);
    if (!state) throw conversationNotFound(conversationId);
    return state;
  }

  private async page<Item>(
    view: Pick<View<Columns, Item>, 'list'>,
    organizationId: string,
    conversationId: string,
    { after, before = Number.MAX_SAFE_INTEGER, limit }: HistoryQuery,
  ): Promise<{ items: Item[]; hasMore: boolean }> {
    // One more than asked for shows whether there are more.
    const of = [organizationId, conversationId, after ?? before, limit + 1] as const;
    if (after !== undefined) {
      const found = await view.list(this.manager, 'after', of);
      return { items: found.slice(0, limit), hasMore: found.length > limit };
    }
    const found = (await view.list(this.manager, 'before', of)).reverse();
    return { items: found.slice(-limit), hasMore: found.length > limit };
  }
}
