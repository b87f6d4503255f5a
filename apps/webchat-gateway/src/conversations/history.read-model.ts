import { Inject, Injectable } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type, type Static } from '@sinclair/typebox';
import { IsIn, IsOptional } from 'class-validator';
import { EntityManager } from 'typeorm';
import { IntegerParameter } from '@cxp/pagination';
import { KeyedLimit, numberColumn, REQUEST_LIMIT_MS, Statement } from '@cxp/storage';
import { CHAT_EVENTS, type ChatEvent } from '../chat-protocol/server-frames';
import { Agent, ConversationStatus, ReadMarks } from '../chat-protocol/shapes';
import { conversationNotFound } from './conversation.dto';
import { ConversationRepository } from './conversation.repository';
import { eventColumns, frameOf, type StoredEvent } from './chat-log.repository';

const MAX_ITEMS = 100;
const DEFAULT_ITEMS = 50;

/** Of an organization at once, whatever its sessions ask for; of a conversation, so that it waits for no place but one. */
const PAGES_AT_ONCE = 1;

/** A page ends with the item that reaches so many bytes. */
export const PAGE_BYTES = 256 * 1_024;
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

/** The closest events come first. */
const events = (side: string, order: string) =>
  new Statement(
    {
      organizationId: 'text',
      conversationId: 'uuid',
      event: 'bigint',
      limit: 'integer',
      type: 'text | null',
      bytes: 'bigint',
    },
    { ...eventColumns('event'), found: numberColumn('event.found') },
    (list) => `
    SELECT ${list} FROM (
      SELECT *, count(*) OVER () AS found,
        sum(octet_length(payload)) OVER (ORDER BY event ${order}) - octet_length(payload) AS bytes_before
      FROM (
        SELECT event, type, id, client_id, stored_at, payload::text FROM webchat.event
        WHERE organization_id = $organizationId AND conversation_id = $conversationId
          AND event ${side} $event AND ($type IS NULL OR type = $type)
        ORDER BY event ${order} LIMIT $limit
      ) AS closest
    ) AS event
    WHERE bytes_before < $bytes ORDER BY event.event ${order}`,
  );
const EVENTS_AFTER = events('>', 'ASC');
const EVENTS_BEFORE = events('<', 'DESC');

@Injectable()
export class HistoryReadModel {
  private readonly pages: KeyedLimit;
  private readonly pagesOfConversation: KeyedLimit;

  constructor(
    private readonly manager: EntityManager,
    private readonly conversations: ConversationRepository,
    @Inject(REQUEST_LIMIT_MS) waitMs: number,
  ) {
    this.pages = new KeyedLimit({ places: PAGES_AT_ONCE, waitMs });
    this.pagesOfConversation = new KeyedLimit({ places: PAGES_AT_ONCE, waitMs });
  }

  /**
   * Reads the state before the events, so that a client that continues after `lastEvent`, or after a later last item, misses
   * nothing.
   * @throws ProblemError for an unknown conversation
   */
  page(
    organizationId: string,
    conversationId: string,
    query: HistoryQuery,
    signal?: AbortSignal,
  ): Promise<EventPage> {
    const read = () => this.read(organizationId, conversationId, query);
    const readInTurn = () => this.pages.run(organizationId, read, signal);
    return this.pagesOfConversation.run(`${organizationId} ${conversationId}`, readInTurn, signal);
  }

  /** Oldest first. */
  async eventsAfter(
    organizationId: string,
    conversationId: string,
    event: number,
    limit: number,
  ): Promise<ChatEvent[]> {
    const whole = { type: null, bytes: Number.MAX_SAFE_INTEGER };
    const values = { organizationId, conversationId, event, limit, ...whole };
    return (await EVENTS_AFTER.run(this.manager, values)).map((row) => frameOf(row as StoredEvent));
  }

  private async read(
    organizationId: string,
    conversationId: string,
    { after, before = Number.MAX_SAFE_INTEGER, limit, type }: HistoryQuery,
  ): Promise<EventPage> {
    const state = await this.conversations.state(organizationId, conversationId);
    if (!state) throw conversationNotFound(conversationId);
    const isAfter = after !== undefined;
    const statement = isAfter ? EVENTS_AFTER : EVENTS_BEFORE;
    const rows = await statement.run(this.manager, {
      organizationId,
      conversationId,
      event: after ?? before,
      limit: limit + 1,
      type,
      bytes: PAGE_BYTES,
    });
    const items = rows.slice(0, limit).map((row) => frameOf(row as StoredEvent));
    const hasMore = rows.length > 0 && rows[0]!.found > items.length;
    return { items: isAfter ? items : items.reverse(), hasMore, ...state };
  }
}
