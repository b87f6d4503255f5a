import { Injectable } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type, type Static } from '@sinclair/typebox';
import { IsIn, IsOptional } from 'class-validator';
import { EntityManager } from 'typeorm';
import { IntegerParameter } from '@cxp/pagination';
import { Statement } from '@cxp/storage';
import { CHAT_EVENTS, type ChatEvent } from '../chat-protocol/server-frames';
import { Agent, ConversationStatus, ReadMarks } from '../chat-protocol/shapes';
import { conversationNotFound } from './conversation.dto';
import { ConversationRepository } from './conversation.repository';
import { eventColumns, frameOf, type StoredEvent } from './chat-log.repository';

const MAX_ITEMS = 100;
const DEFAULT_ITEMS = 50;
const TYPES = Object.keys(CHAT_EVENTS) as ChatEvent['type'][];

/** The events after a number, else those before a number, else the last ones. */
export class HistoryQuery {
  @IntegerParameter({
    minimum: 1,
    description:
      'Events with a smaller number. The number of the first item of a page gives the page before it.',
  })
  before?: number;

  @IntegerParameter({
    minimum: 0,
    description: 'Events with a greater number, oldest first. If both are sent, `before` is ignored.',
  })
  after?: number;

  @ApiPropertyOptional({ enum: TYPES, description: 'Only events of this type.' })
  @IsOptional()
  @IsIn(TYPES, { message: `$property must be one of: ${TYPES.join(', ')}` })
  type?: ChatEvent['type'];

  @IntegerParameter({ minimum: 1, maximum: MAX_ITEMS, default: DEFAULT_ITEMS })
  limit: number = DEFAULT_ITEMS;
}

export const EventPage = Type.Object({
  items: Type.Array(Type.Union(Object.values(CHAT_EVENTS)), { description: 'Oldest first.' }),
  hasMore: Type.Boolean({ description: 'Whether there are more in the direction of the page.' }),
  read: ReadMarks,
  lastEvent: Type.Integer({ minimum: 0, description: '`event` of the last event; 0: there is none.' }),
  status: ConversationStatus,
  agent: Agent,
});
export type EventPage = Static<typeof EventPage>;

/** $3 number, $4 limit, $5 the only type; the closest events come first. */
const events = (side: string, order: string) =>
  new Statement(
    eventColumns('event'),
    (list) => `
    SELECT ${list} FROM webchat.event
    WHERE organization_id = $1 AND conversation_id = $2 AND event.event ${side} $3 AND ($5::text IS NULL OR event.type = $5)
    ORDER BY event.event ${order} LIMIT $4`,
  );
const EVENTS_AFTER = events('>', 'ASC');
const EVENTS_BEFORE = events('<', 'DESC');

@Injectable()
export class HistoryReadModel {
  constructor(
    private readonly manager: EntityManager,
    private readonly conversations: ConversationRepository,
  ) {}

  /**
   * Reads the state before the events, so that a client that continues after `lastEvent`, or after a later last item, misses
   * nothing.
   * @throws ProblemError for an unknown conversation
   */
  async page(
    organizationId: string,
    conversationId: string,
    { after, before = Number.MAX_SAFE_INTEGER, limit, type }: HistoryQuery,
  ): Promise<EventPage> {
    const state = await this.conversations.state(organizationId, conversationId);
    if (!state) throw conversationNotFound(conversationId);
    const isAfter = after !== undefined;
    const statement = isAfter ? EVENTS_AFTER : EVENTS_BEFORE;
    const values = [organizationId, conversationId, after ?? before, limit + 1, type ?? null] as const;
    const found = (await statement.run(this.manager, values)) as StoredEvent[];
    const items = found.slice(0, limit).map(frameOf);
    return { items: isAfter ? items : items.reverse(), hasMore: found.length > limit, ...state };
  }

  /** Oldest first. */
  async eventsAfter(
    organizationId: string,
    conversationId: string,
    event: number,
    limit: number,
  ): Promise<ChatEvent[]> {
    const values = [organizationId, conversationId, event, limit, null] as const;
    return ((await EVENTS_AFTER.run(this.manager, values)) as StoredEvent[]).map(frameOf);
  }
}
