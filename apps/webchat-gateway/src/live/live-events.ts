import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { subscriberOf } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/events';
import type { ServerFrameOf } from '../chat-protocol/server-frames';

/** The Redis channel of one conversation. */
export function liveChannel(organizationId: string, conversationId: string): string {
  return `webchat:{${organizationId}}:live:${conversationId}`;
}

/**
 * What is published on a conversation's channel: the number of a stored event, or 0, and a frame that is ready to be sent. Without a frame no
 * session is over the conversation any more.
 */
export interface LiveEvent {
  readonly event: number;
  readonly frame: string;
}

export function encodeLiveEvent({ event, frame }: LiveEvent): string {
  return `${event} ${frame}`;
}

function decodeLiveEvent(text: string): LiveEvent {
  const end = text.indexOf(' ');
  return { event: Number(text.slice(0, end)), frame: text.slice(end + 1) };
}

/** One socket's interest in a conversation. */
export interface LiveListener {
  onEvent(event: LiveEvent): void;
}

/** Listens, on a Redis connection of its own, to exactly the conversations that this process has sockets of. */
@Injectable()
export class LiveSubscriptions implements OnApplicationShutdown {
  private readonly logger = new Logger(LiveSubscriptions.name);
  private readonly listeners = new Map<string, Set<LiveListener>>();
  private readonly connection: Redis;
  private onResubscribed: () => void = () => undefined;

  constructor(redis: Redis) {
    this.connection = subscriberOf(redis, {
      enableAutoPipelining: false,
      // Resubscribing is done here, so that it is known when it is complete.
      autoResubscribe: false,
      // SUBSCRIBE waits until there is a connection. Its socket gets `session.ready` later, if its client waits for it.
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined,
    });
    this.connection.on('error', () => undefined);
    this.connection.on('ready', () => void this.resubscribe());
    this.connection.on('message', (channel: string, text: string) => {
      const event = decodeLiveEvent(text);
      // Another release may publish something else.
      if (Number.isInteger(event.event)) this.dispatch(channel, event);
    });
  }

  /** When this has resolved, the listener gets everything that is published. */
  async add(organizationId: string, conversationId: string, listener: LiveListener): Promise<void> {
    const channel = liveChannel(organizationId, conversationId);
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(listener));
    // Also for a second listener: the first one's SUBSCRIBE may still be under way.
    await this.connection.subscribe(channel);
  }

  remove(organizationId: string, conversationId: string, listener: LiveListener): void {
    const channel = liveChannel(organizationId, conversationId);
    const listeners = this.listeners.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.listeners.delete(channel);
    this.connection.unsubscribe(channel).catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.connection.disconnect();
  }

  /** @param handler called after a lost connection: events of any conversation may have been missed */
  handleResubscribed(handler: () => void): void {
    this.onResubscribed = handler;
  }

  /** Passes an event of a conversation to the listeners of this process. */
  announce(organizationId: string, conversationId: string, event: LiveEvent): void {
    this.dispatch(liveChannel(organizationId, conversationId), event);
  }

  private dispatch(channel: string, event: LiveEvent): void {
    for (const listener of this.listeners.get(channel) ?? []) listener.onEvent(event);
  }

  private async resubscribe(): Promise<void> {
    const channels = [...this.listeners.keys()];
    if (channels.length === 0) return;
    try {
      await this.connection.subscribe(...channels);
      this.onResubscribed();
    } catch (error) {
      // The connection broke again: the next one comes back here.
      this.logger.warn(`not resubscribed: ${String(error)}`);
    }
  }
}

/** Sends what just happened in a conversation to its sockets on all processes. A failure is not the caller's. */
@Injectable()
export class LivePublisher {
  private readonly logger = new Logger(LivePublisher.name);
  private isFailing = false;

  /** @param subscriptions of this process, if it has sockets */
  constructor(
    private readonly redis: Redis,
    private readonly subscriptions?: LiveSubscriptions,
  ) {}

  /**
   * The event is stored. If it is lost here, the sockets load it with the next one, or when lost events are looked for. Those of
   * this process need not wait for Redis: what comes twice is sent once.
   */
  publishEvent(organizationId: string, conversationId: string, event: ChatEvent): void {
    const live = { event: event.event, frame: JSON.stringify(event) };
    this.publish(organizationId, conversationId, live);
    // Later: the sender is answered first.
    setImmediate(() => this.subscriptions?.announce(organizationId, conversationId, live));
  }

  publishTyping(
    organizationId: string,
    conversationId: string,
    typing: Omit<ServerFrameOf<'typing'>, 'type'>,
  ): void {
    const frame = JSON.stringify({ type: 'typing', ...typing } satisfies ServerFrameOf<'typing'>);
    this.publish(organizationId, conversationId, { event: 0, frame });
  }

  /** Closes all sockets of a conversation. If it is lost, they find out when lost events are looked for. */
  endSockets(organizationId: string, conversationId: string): void {
    this.publish(organizationId, conversationId, { event: 0, frame: '' });
  }

  private publish(organizationId: string, conversationId: string, live: LiveEvent): void {
    this.redis
      .publish(liveChannel(organizationId, conversationId), encodeLiveEvent(live))
      .then(() => (this.isFailing = false))
      .catch((error: unknown) => {
        // One warning, not one for each event.
        if (!this.isFailing) this.logger.warn(`events are not published: ${String(error)}`);
        this.isFailing = true;
      });
  }
}
