import { Injectable, Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { ChatEvent } from '../chat-protocol/events';
import type { ServerFrameOf } from '../chat-protocol/server-frames';
import { encodeLiveEvent, liveChannel, LiveSubscriptions, type LiveEvent } from './live-subscriptions';

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
    const live = { kind: 'event', event: event.event, frame: JSON.stringify(event) } as const;
    this.publish(organizationId, conversationId, live);
    // Later: the sender is answered first.
    setImmediate(() => this.subscriptions?.tell(organizationId, conversationId, live));
  }

  publishTyping(
    organizationId: string,
    conversationId: string,
    typing: Omit<ServerFrameOf<'typing'>, 'type'>,
  ): void {
    const frame = JSON.stringify({ type: 'typing', ...typing } satisfies ServerFrameOf<'typing'>);
    this.publish(organizationId, conversationId, { kind: 'signal', frame });
  }

  /** Closes all sockets of a conversation. If it is lost, they find out when lost events are looked for. */
  endSockets(organizationId: string, conversationId: string): void {
    this.publish(organizationId, conversationId, { kind: 'ended' });
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
