import { Injectable, Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { ServerFrame } from '../sockets/frames';
import { liveChannel } from './live-channel';
import { encodeLiveEvent, type LiveEvent } from './live-event';

/** Tells all sockets of a conversation, on whatever process they are, what just happened. */
@Injectable()
export class LivePublisher {
  private readonly logger = new Logger(LivePublisher.name);

  constructor(private readonly redis: Redis) {}

  /**
   * Sends a frame to the conversation's sockets. What is stored is stored: a failure is not the caller's. A message that
   * gets lost here is found again through the outbox, which tells of it a second time.
   */
  publish(organizationId: string, conversationId: string, frame: ServerFrame): void {
    const sequence = frame.type === 'message' ? frame.message.sequence : 0;
    this.send(organizationId, conversationId, { sequence, frame: JSON.stringify(frame) });
  }

  /** Tells a socket, on whatever process it is, that newer ones of its session take its place. */
  replaceSocket(organizationId: string, conversationId: string, socketId: string): void {
    this.send(organizationId, conversationId, { sequence: 0, frame: '', replacedSocketId: socketId });
  }

  private send(organizationId: string, conversationId: string, event: LiveEvent): void {
    this.redis
      .publish(liveChannel(organizationId, conversationId), encodeLiveEvent(event))
      .catch((error: unknown) => this.logger.warn(`not published: ${String(error)}`));
  }
}
