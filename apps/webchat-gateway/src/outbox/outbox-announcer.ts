import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { encodeAnnouncement, liveChannel } from '../live/live-event';
import { OutboxRepository } from './outbox.repository';

/** For how long changes are looked at again, in milliseconds: they get their positions before they are committed. */
const COMMIT_WAIT_MS = 3_000;

/**
 * Announces the last event of each conversation to its sockets a second time, whether or not area B takes records: what
 * was published when it happened may have got lost.
 */
@Injectable()
export class OutboxAnnouncer {
  /** By conversation: the number of the last event that was announced. */
  private announced = new Map<string, number>();
  /** The last position that had been seen at a time, oldest first. */
  private readonly seen: { at: number; position: string }[] = [];

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly redis: Redis,
  ) {}

  /** @throws unless Redis has published all of it; then it is announced again */
  async announce(): Promise<void> {
    const now = performance.now();
    while (this.seen.length > 1 && this.seen[1]!.at < now - COMMIT_WAIT_MS) this.seen.shift();
    const conversations = await this.outbox.lastEventsAfter(this.seen[0]?.position ?? '0');
    const last = new Map<string, number>();
    const commands = this.redis.pipeline();
    let position = this.seen.at(-1)?.position ?? '0';
    for (const { organizationId, conversationId, event, position: later } of conversations) {
      const channel = liveChannel(organizationId, conversationId);
      last.set(channel, event);
      if (BigInt(later) > BigInt(position)) position = later;
      if (event > (this.announced.get(channel) ?? 0)) {
        commands.publish(channel, encodeAnnouncement(event));
      }
    }
    if (commands.length > 0) for (const [error] of (await commands.exec()) ?? []) if (error) throw error;
    this.announced = last;
    this.seen.push({ at: now, position });
  }
}
