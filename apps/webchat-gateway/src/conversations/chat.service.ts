import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { utcTime } from '@cxp/records';
import { GroupCommit, inTransaction, REQUEST_LIMIT_MS } from '@cxp/storage';
import type { ChatEventOf } from '../chat-protocol/server-frames';
import type { Message, Rating, Reader } from '../chat-protocol/shapes';
import { LivePublisher } from '../live/live-events';
import { ChatLogRepository, type NewEvent, frameOf, type StoredEvent } from './chat-log.repository';
import { causeOfActivity, causeOfMessage, type ActingAgent } from './chat-rules';
import { conversationNotFound } from './conversation.dto';
import { ConversationRepository } from './conversation.repository';

/**
 * Events of one statement, and concurrent statements of one organization. More would take all connections; fewer would make
 * events wait.
 */
const MAX_EVENTS = 64;
const MAX_COMMITS = 3;

export type NewMessage = Omit<Message, 'id' | 'sentAt'> & { readonly id?: string };

export type StoredMessage = Message & { readonly event: number };

export interface NewActivity {
  /** Unique in the organization; sending it again changes nothing. */
  readonly id: string;
  readonly action: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly occurredAt: string;
  readonly agent: ActingAgent | null;
}

/** Sending it again with its `clientId` changes nothing. */
export type NewRating = Rating & { readonly clientId: string };

export type Submitted =
  | { readonly submittedAt: string }
  | { readonly refused: 'rating_not_requested' | 'rating_already_submitted' };

type Sent = NewEvent & { readonly organizationId: string };

/**
 * Stores what happens in conversations and publishes it to their sockets. Events that arrive while the organization's
 * statements run share the next one; an event of a locked conversation gets its own, so that it delays no other. A repeated
 * event is published again; sockets drop it.
 */
@Injectable()
export class ChatService {
  private readonly commits: GroupCommit<Sent, readonly StoredEvent[]>;

  constructor(
    private readonly manager: EntityManager,
    private readonly log: ChatLogRepository,
    private readonly conversations: ConversationRepository,
    private readonly live: LivePublisher,
    @Inject(REQUEST_LIMIT_MS) waitMs: number,
  ) {
    this.commits = new GroupCommit<Sent, readonly StoredEvent[]>({
      maxItems: MAX_EVENTS,
      waitMs,
      maxCommits: MAX_COMMITS,
      groupOf: ({ organizationId }) => organizationId,
      keyOf: ({ conversationId }) => conversationId,
      commit: (sent) => log.appendTogether(sent[0]!.organizationId, sent),
      commitAlone: (sent) => log.append(sent.organizationId, sent),
    });
  }

  /**
   * @returns the stored message, also of an earlier call
   * @throws ProblemError for an unknown conversation, or an id of another one's message
   */
  async sendMessage(
    organizationId: string,
    conversationId: string,
    { id = randomUUID(), clientId, ...payload }: NewMessage,
  ): Promise<StoredMessage> {
    const cause = causeOfMessage(payload.senderType);
    const sent = { conversationId, type: 'message', id, clientId, payload, cause } as const;
    const stored = await this.append(organizationId, sent);
    const { event, message } = frameOf(stored) as ChatEventOf<'message'>;
    return { ...message, event };
  }

  /**
   * Also stores the request that `route_to_rating` brings.
   * @param occurredAt null: now
   * @throws ProblemError for an unknown conversation, or an id of another one's activity
   */
  async recordActivity(
    organizationId: string,
    conversationId: string,
    { id, action, occurredAt, agent: by }: Omit<NewActivity, 'occurredAt'> & { occurredAt: string | null },
  ): Promise<NewActivity> {
    const { cause, agent } = causeOfActivity(action, by);
    const payload = { action, occurredAt: occurredAt && utcTime(occurredAt), by };
    const followedBy = cause === 'askedToRate' ? 'rating.requested' : undefined;
    const sent = { conversationId, type: 'activity', id, payload, cause, agent, followedBy } as const;
    const stored = await this.append(organizationId, sent);
    return activityOf(stored);
  }

  /** Moves a read mark forward, at most to the last event that is not a read mark. */
  async markRead(
    organizationId: string,
    conversationId: string,
    reader: Reader,
    upTo: number,
  ): Promise<void> {
    const read = { conversationId, type: 'read', payload: { reader, upTo }, cause: 'noted' } as const;
    const events = await this.log.append(organizationId, read);
    this.publish(organizationId, conversationId, events);
  }

  /**
   * Stores the answer to the latest open request.
   * @throws ProblemError when the organization has no such conversation
   */
  async submitRating(
    organizationId: string,
    conversationId: string,
    { clientId, ...answer }: NewRating,
  ): Promise<Submitted> {
    const stored = await inTransaction(this.manager.dataSource, organizationId, [], async (manager) => {
      // The lock is a statement of its own, so that the next statements see every earlier answer.
      const isLocked = await this.conversations.lock(manager, organizationId, conversationId);
      if (!isLocked) throw conversationNotFound(conversationId);
      const types = ['rating.requested', 'rating'] as const;
      const events = await this.log.latest(manager, organizationId, conversationId, types);
      const answers = events.filter((event) => event.type === 'rating');
      const known = answers.find((event) => event.clientId === clientId);
      if (known) return [known];
      const answered = new Set(answers.map(({ payload }) => payload.request));
      const requests = events.filter(({ type }) => type === 'rating.requested');
      const open = requests.find(({ event }) => !answered.has(event));
      if (!open) return requests.length === 0 ? 'rating_not_requested' : 'rating_already_submitted';
      const payload = { request: open.event, ...answer };
      const rating = { conversationId, type: 'rating', clientId, payload, cause: 'noted' } as const;
      return this.log.append(organizationId, rating, manager);
    });
    if (typeof stored === 'string') return { refused: stored };
    this.publish(organizationId, conversationId, stored);
    return { submittedAt: stored[0]!.storedAt };
  }

  private async append(organizationId: string, event: NewEvent): Promise<StoredEvent> {
    const events = await this.commits.add({ organizationId, ...event });
    if (events.length === 0) throw conversationNotFound(event.conversationId);
    this.publish(organizationId, event.conversationId, events);
    return events[0]!;
  }

  private publish(organizationId: string, conversationId: string, events: readonly StoredEvent[]): void {
    for (const event of events) this.live.publishEvent(organizationId, conversationId, frameOf(event));
  }
}

function activityOf(stored: StoredEvent): NewActivity {
  const { id, action, occurredAt } = frameOf(stored) as ChatEventOf<'activity'>;
  return { id, action, occurredAt, agent: (stored as StoredEvent & { type: 'activity' }).payload.by };
}
