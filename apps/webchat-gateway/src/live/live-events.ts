import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { Health } from '@cxp/service-kit';
import { subscriberOf } from '@cxp/storage';
import type { ChatEvent, ServerFrameOf } from '../chat-protocol/server-frames';

export function liveChannel(organizationId: string, conversationId: string): string {
  return `webchat:{${organizationId}}:live:${conversationId}`;
}

/** Nothing is published here: to subscribe shows that the user of Redis may. */
const READY_CHANNEL = 'webchat:ready';

export type LiveSignal =
  /** A frame ready to be sent, with its number. */
  | { readonly type: 'event'; readonly event: number; readonly frame: string }
  /** The id of the socket that is typing, which is not told; empty if none is. */
  | { readonly type: 'typing'; readonly sender: string; readonly frame: string }
  /** No session has the conversation any more. */
  | { readonly type: 'end' };

/** The number of an event and its frame; 0, the sender and the frame of a typing signal; 0 alone for the end. */
function encode(signal: LiveSignal): string {
  if (signal.type === 'end') return '0 ';
  return signal.type === 'event' ? `${signal.event} ${signal.frame}` : `0 ${signal.sender} ${signal.frame}`;
}

/** @returns undefined for signals of another release */
function decode(text: string): LiveSignal | undefined {
  const end = text.indexOf(' ');
  const event = Number(text.slice(0, end));
  const rest = text.slice(end + 1);
  if (!Number.isInteger(event)) return undefined;
  if (event > 0) return { type: 'event', event, frame: rest };
  if (rest === '') return { type: 'end' };
  const senderEnd = rest.indexOf(' ');
  return { type: 'typing', sender: rest.slice(0, senderEnd), frame: rest.slice(senderEnd + 1) };
}

export interface LiveListener {
  onSignal(signal: LiveSignal): void;
}

/** Subscribes, over its own Redis connection, to the conversations of this process's sockets. */
@Injectable()
export class LiveSubscriptions implements OnApplicationShutdown {
  private readonly logger = new Logger(LiveSubscriptions.name);
  private readonly listeners = new Map<string, Set<LiveListener>>();
  private readonly connection: Redis;
  private onResubscribed: () => void = () => undefined;

  constructor(redis: Redis, health: Health) {
    health.requireOfRedis(() => this.connection.subscribe(READY_CHANNEL));
    this.connection = subscriberOf(redis, {
      enableAutoPipelining: false,
      // This class resubscribes itself, to know when all subscriptions are restored.
      autoResubscribe: false,
    });
    this.connection.on('error', () => undefined);
    this.connection.on('ready', () => void this.resubscribe());
    this.connection.on('message', (channel: string, text: string) => {
      const signal = decode(text);
      if (signal) this.dispatch(channel, signal);
    });
  }

  /** Resolves once the listener gets all later signals. Fails without a connection. */
  async add(organizationId: string, conversationId: string, listener: LiveListener): Promise<void> {
    const channel = liveChannel(organizationId, conversationId);
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(listener));
    // A second listener subscribes, too: the first SUBSCRIBE may not be complete.
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

  /** @param handler called after a lost connection: any conversation may have missed events */
  handleResubscribed(handler: () => void): void {
    this.onResubscribed = handler;
  }

  announce(organizationId: string, conversationId: string, signal: LiveSignal): void {
    this.dispatch(liveChannel(organizationId, conversationId), signal);
  }

  private dispatch(channel: string, signal: LiveSignal): void {
    for (const listener of this.listeners.get(channel) ?? []) listener.onSignal(signal);
  }

  private async resubscribe(): Promise<void> {
    const channels = [...this.listeners.keys()];
    if (channels.length === 0) return;
    try {
      await this.connection.subscribe(...channels);
      this.onResubscribed();
    } catch (error) {
      // The connection broke again; its return calls this again.
      this.logger.warn(`not resubscribed: ${String(error)}`);
    }
  }
}

/** Publishes to the sockets of all processes. A failure does not reach the caller. */
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
   * A lost event comes with the next one, or by `deliverLostEvents`. Local sockets do not wait for Redis; duplicates are
   * dropped.
   */
  publishEvent(organizationId: string, conversationId: string, event: ChatEvent): void {
    const live = { type: 'event', event: event.event, frame: JSON.stringify(event) } as const;
    this.publish(organizationId, conversationId, live);
    // The sender is answered first.
    setImmediate(() => this.subscriptions?.announce(organizationId, conversationId, live));
  }

  publishTyping(
    organizationId: string,
    conversationId: string,
    typing: Omit<ServerFrameOf<'typing'>, 'type'>,
    sender = '',
  ): void {
    const frame = JSON.stringify({ type: 'typing', ...typing } satisfies ServerFrameOf<'typing'>);
    this.publish(organizationId, conversationId, { type: 'typing', sender, frame });
  }

  /** Closes all sockets of a conversation. If the signal is lost, `deliverLostEvents` closes them. */
  endSockets(organizationId: string, conversationId: string): void {
    this.publish(organizationId, conversationId, { type: 'end' });
  }

  private publish(organizationId: string, conversationId: string, signal: LiveSignal): void {
    this.redis
      .publish(liveChannel(organizationId, conversationId), encode(signal))
      .then(() => (this.isFailing = false))
      .catch((error: unknown) => {
        if (!this.isFailing) this.logger.warn(`events are not published: ${String(error)}`);
        this.isFailing = true;
      });
  }
}
