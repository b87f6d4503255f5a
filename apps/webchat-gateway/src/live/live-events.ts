import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { subscriberOf } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/events';
import type { ServerFrameOf } from '../chat-protocol/server-frames';

export function liveChannel(organizationId: string, conversationId: string): string {
  return `webchat:{${organizationId}}:live:${conversationId}`;
}

export type LiveSignal =
  /** A stored event with its number, as a frame that is ready to be sent. */
  | { readonly type: 'event'; readonly event: number; readonly frame: string }
  | { readonly type: 'typing'; readonly frame: string }
  /** No session is over the conversation any more. */
  | { readonly type: 'end' };

/** The number of the event and its frame; 0 and the frame of a typing; 0 alone for the end. */
function encode(signal: LiveSignal): string {
  if (signal.type === 'end') return '0 ';
  return `${signal.type === 'event' ? signal.event : 0} ${signal.frame}`;
}

/** @returns undefined for what another release may publish */
function decode(text: string): LiveSignal | undefined {
  const end = text.indexOf(' ');
  const event = Number(text.slice(0, end));
  const frame = text.slice(end + 1);
  if (!Number.isInteger(event)) return undefined;
  if (event > 0) return { type: 'event', event, frame };
  return frame === '' ? { type: 'end' } : { type: 'typing', frame };
}

/** One socket's interest in a conversation. */
export interface LiveListener {
  onSignal(signal: LiveSignal): void;
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
    });
    this.connection.on('error', () => undefined);
    this.connection.on('ready', () => void this.resubscribe());
    this.connection.on('message', (channel: string, text: string) => {
      const signal = decode(text);
      if (signal) this.dispatch(channel, signal);
    });
  }

  /** When this has resolved, the listener gets everything that is published. Fails while there is no connection. */
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

  /** Passes a signal to the listeners of this process. */
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
    const live = { type: 'event', event: event.event, frame: JSON.stringify(event) } as const;
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
    this.publish(organizationId, conversationId, { type: 'typing', frame });
  }

  /** Closes all sockets of a conversation. If it is lost, they find out when lost events are looked for. */
  endSockets(organizationId: string, conversationId: string): void {
    this.publish(organizationId, conversationId, { type: 'end' });
  }

  private publish(organizationId: string, conversationId: string, signal: LiveSignal): void {
    this.redis
      .publish(liveChannel(organizationId, conversationId), encode(signal))
      .then(() => (this.isFailing = false))
      .catch((error: unknown) => {
        // One warning, not one for each event.
        if (!this.isFailing) this.logger.warn(`events are not published: ${String(error)}`);
        this.isFailing = true;
      });
  }
}
