import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { subscriberOf } from '@cxp/storage';

/** The Redis channel of one conversation. */
export function liveChannel(organizationId: string, conversationId: string): string {
  return `webchat:{${organizationId}}:live:${conversationId}`;
}

/** What is published on a conversation's channel. Frames are ready to be sent: no process parses them to pass them on. */
export type LiveEvent =
  /** A stored event. */
  | { readonly kind: 'event'; readonly event: number; readonly frame: string }
  /** A frame that is not stored. */
  | { readonly kind: 'signal'; readonly frame: string }
  /** No session is over the conversation any more. */
  | { readonly kind: 'ended' };

/** The form on the channel is a word, a space and the rest; the word is the number of a stored event, or a kind. */
export function encodeLiveEvent(live: LiveEvent): string {
  switch (live.kind) {
    case 'event':
      return `${live.event} ${live.frame}`;
    case 'signal':
      return `signal ${live.frame}`;
    case 'ended':
      return 'ended ';
  }
}

/** @returns undefined for a kind of another release */
export function decodeLiveEvent(text: string): LiveEvent | undefined {
  const end = text.indexOf(' ');
  const word = text.slice(0, end);
  const rest = text.slice(end + 1);
  if (word === 'signal') return { kind: 'signal', frame: rest };
  if (word === 'ended') return { kind: 'ended' };
  const event = Number(word);
  return Number.isInteger(event) ? { kind: 'event', event, frame: rest } : undefined;
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
      if (event) this.dispatch(channel, event);
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
  tell(organizationId: string, conversationId: string, event: LiveEvent): void {
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
