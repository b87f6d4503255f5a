import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Redis } from 'ioredis';
import { Counter, Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { duplicateRedis, withExclusiveLock } from '@cxp/storage';
import { RECORD_AREA } from '../record-intake';
import type { RecordArea } from '../record-area';
import {
  acknowledge,
  recordStream,
  rejectedRecordStream,
  toStreamEntry,
  type RawStreamEntry,
} from './record-stream';
import { StreamRecords, type RejectedEntry } from './stream-records';

/** The key space of the lock that the process which reads a stream holds. */
const STREAM_LOCK = 0x7273;

/** Entries that are stored by one round of transactions. */
const BATCH_ENTRIES = 500;

/** How long a read waits for entries to come, in milliseconds. */
const READ_WAIT_MS = 1_000;

/** How often a process asks whether the one that reads the stream is gone, and tries again after a failure. */
const RETRY_MS = 500;

/** Rejected entries that are kept to be looked at. */
const MAX_REJECTED = 10_000;

/**
 * The name that all processes read under: they take turns, and whoever reads goes on with what the one before left
 * unacknowledged.
 */
const CONSUMER = 'reader';

/**
 * Takes records from an area's stream: the third road in. Of all processes of the service one reads at a time, so that
 * records are stored in their order; when it dies another takes over at once. Entries are acknowledged, to Redis and to their
 * producer, and removed after they are stored: the producer sends an entry again that Redis lost before that.
 */
@Injectable()
export class RecordStreamConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RecordStreamConsumer.name);
  private readonly stream: string;
  private readonly group: string;
  private readonly records: StreamRecords;
  /** Reads that wait must not hold up the commands of requests. */
  private readonly reader: Redis;
  private readonly entries: Counter;
  private readonly stopping = new AbortController();
  private finished: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly redis: Redis,
    @Inject(RECORD_AREA) private readonly area: RecordArea,
    @Inject(Registry) registry: Registry,
  ) {
    this.stream = recordStream(area.name);
    this.group = area.name;
    this.records = new StreamRecords(dataSource, area);
    this.reader = duplicateRedis(redis, {
      commandTimeout: undefined,
      enableAutoPipelining: false,
      enableOfflineQueue: true,
    });
    this.reader.on('error', () => undefined);
    this.entries = new Counter({
      name: 'record_stream_entries_total',
      help: 'Entries that were read from the record stream, by outcome',
      labelNames: ['outcome'],
      registers: [registry],
    });
    const { stream } = this;
    new Gauge({
      name: 'record_stream_backlog',
      help: 'Entries of the record stream that are not stored yet',
      registers: [registry],
      async collect() {
        this.set(await redis.xlen(stream).catch(() => NaN));
      },
    });
  }

  onApplicationBootstrap(): void {
    this.finished = this.run();
  }

  /** Finishes the batch that is under way. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    // Ends a read that waits.
    this.reader.disconnect();
    await this.finished;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await withExclusiveLock(this.dataSource, STREAM_LOCK, this.area.name, (isHeld) => this.read(isHeld));
      } catch (error) {
        if (!signal.aborted) this.logger.warn(`the record stream is not read: ${String(error)}`);
      }
      await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  private async read(isHeld: () => Promise<void>): Promise<void> {
    await this.prepareGroup();
    while (!this.stopping.signal.aborted) {
      await isHeld();
      await this.ingest(await this.next('0'));
      await this.ingest(await this.next('>'));
    }
  }

  private async prepareGroup(): Promise<void> {
    try {
      await this.redis.xgroup('CREATE', this.stream, this.group, '0', 'MKSTREAM');
    } catch (error) {
      if (!String(error).includes('BUSYGROUP')) throw error;
    }
  }

  /** @param from `0`: those that were read before and not acknowledged; `>`: those that were never read, or a wait for them */
  private async next(from: '0' | '>'): Promise<readonly RawStreamEntry[]> {
    const answer = (await this.reader.xreadgroup(
      ...(['GROUP', this.group, CONSUMER] as const),
      ...(['COUNT', BATCH_ENTRIES, 'BLOCK', READ_WAIT_MS] as const),
      ...(['STREAMS', this.stream, from] as const),
    )) as [stream: string, entries: RawStreamEntry[]][] | null;
    return answer?.[0]?.[1] ?? [];
  }

  private async ingest(raw: readonly RawStreamEntry[]): Promise<void> {
    if (raw.length === 0) return;
    const entries = raw.map(toStreamEntry);
    const rejected = await this.records.store(entries);
    const ids = raw.map(([id]) => id);
    const commands = this.redis.multi();
    for (const each of rejected) this.putAside(commands, each);
    commands.xack(this.stream, this.group, ...ids).xdel(this.stream, ...ids);
    await commands.exec();
    // Not in the same transaction: a Redis that is full refuses to store anything, but entries must leave it all the same.
    await acknowledge(this.redis, this.area.name, entries);
    this.entries.inc({ outcome: 'stored' }, raw.length - rejected.length);
    this.entries.inc({ outcome: 'rejected' }, rejected.length);
  }

  private putAside(commands: ReturnType<Redis['multi']>, { entry, reason }: RejectedEntry): void {
    this.logger.error(`record ${entry.id} of the stream is rejected: ${reason}`);
    commands.xadd(
      rejectedRecordStream(this.area.name),
      ...(['MAXLEN', '~', MAX_REJECTED, '*'] as const),
      ...['organization_id', entry.organizationId, 'record', entry.record, 'reason', reason],
    );
  }
}
