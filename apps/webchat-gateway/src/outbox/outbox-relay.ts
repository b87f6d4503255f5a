import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { Counter, Registry } from 'prom-client';
import { addToStream, recordStream } from '@cxp/record-intake';
import { liveChannel } from '../live/live-channel';
import { encodeLiveEvent } from '../live/live-event';
import { changeRecords } from './change-records';
import { OutboxRepository, type OutboxChange } from './outbox.repository';

/** The area whose records these are. */
const AREA = 'contact-center';

/** Few enough that handing them over does not hold up messages. */
const BATCH_CHANGES = 100;

/** How often the outbox is looked into while nothing, or not much, happens, in milliseconds. */
const IDLE_MS = 200;

/** How long a failure is waited out. */
const FAILURE_MS = 1_000;

/** With so many records unread, changes stay in the outbox: PostgreSQL's disk is larger than Redis's memory. */
const MOST_UNREAD_RECORDS = 500_000;

/**
 * Tells of committed changes: area B by records on its stream, and sockets, which may have missed what was published when
 * it happened.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OutboxRelay.name);
  private readonly relayed: Counter;
  private readonly stopping = new AbortController();
  private finished: Promise<void> = Promise.resolve();

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly redis: Redis,
    @Inject(Registry) registry: Registry,
  ) {
    this.relayed = new Counter({
      name: 'webchat_changes_relayed_total',
      help: 'Changes of conversations that were told to the export',
      registers: [registry],
    });
  }

  onApplicationBootstrap(): void {
    this.finished = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.finished;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const pauseMs = await this.relay();
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns how long to wait before the next time */
  private async relay(): Promise<number> {
    try {
      if ((await this.redis.xlen(recordStream(AREA))) > MOST_UNREAD_RECORDS) {
        this.logger.warn(`${MOST_UNREAD_RECORDS} records are unread: is contact-center-export running?`);
        return FAILURE_MS;
      }
      const count = await this.outbox.relay(BATCH_CHANGES, (changes) => this.tell(changes));
      this.relayed.inc(count);
      return count === BATCH_CHANGES ? 0 : IDLE_MS;
    } catch (error) {
      this.logger.warn(`changes wait in the outbox: ${String(error)}`);
      return FAILURE_MS;
    }
  }

  /** @throws unless Redis took all of it */
  private async tell(changes: readonly OutboxChange[]): Promise<void> {
    const commands = this.redis.pipeline();
    for (const record of changeRecords(changes)) addToStream(commands, AREA, record);
    for (const [channel, sequence] of lastMessages(changes)) {
      commands.publish(channel, encodeLiveEvent({ sequence, frame: '' }));
    }
    for (const [error] of (await commands.exec()) ?? []) if (error) throw error;
  }
}

/** By channel, the number of the last message of each conversation. */
function lastMessages(changes: readonly OutboxChange[]): Map<string, number> {
  return new Map(
    changes.flatMap(({ organizationId, conversationId, message }) =>
      message ? [[liveChannel(organizationId, conversationId), message.sequence] as const] : [],
    ),
  );
}
