import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { duplicateRedis, LOCK_DATA_SOURCE, withExclusiveLock } from '@cxp/storage';
import { RECORD_AREA } from '../record-intake';
import type { StreamedArea } from '../record-area';
import {
  acknowledge,
  readBatch,
  recordStream,
  toStreamEntry,
  type RawStreamEntry,
  type StreamEntry,
} from './record-stream';
import { StreamMetrics } from './stream-metrics';
import { StreamRecords, type Obstacle } from './stream-records';
import { UnstoredRecords } from './unstored-records';
import { pauseAfter, WaitingOrganizations, type Wait } from './waiting-organizations';

/** The key space of the lock that the process which reads a stream holds. */
const STREAM_LOCK = 0x7273;

/** How long a read waits for entries to come, in milliseconds. */
const READ_WAIT_MS = 1_000;

/** How often a process asks whether the one that reads the stream is gone, in milliseconds. */
const TAKEOVER_MS = 500;

/** How often waiting organizations are looked for: a process that lost the stream may have added one late. In milliseconds. */
const LOOK_AGAIN_MS = 60_000;

/**
 * The name that all processes read under: they take turns, and whoever reads goes on with what the one before left
 * unacknowledged.
 */
const CONSUMER = 'reader';

/**
 * Takes records from an area's stream: the third road in. Of all processes of the service one reads at a time, so that
 * records are stored in their order; when it dies another takes over at once.
 *
 * An entry leaves the stream, and is acknowledged to its producer, once PostgreSQL has committed it: stored, or put aside because
 * its data is at fault, or, if its organization is busy or its records can't be stored for any other reason, added to those of
 * the organization that wait. So no organization holds up another one, and while PostgreSQL stores nothing, everything stays in
 * the stream. The producer sends an entry again that Redis lost before that.
 */
@Injectable()
export class RecordStreamConsumer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(RecordStreamConsumer.name);
  private readonly stream: string;
  private readonly group: string;
  private readonly records: StreamRecords;
  private readonly unstored: UnstoredRecords;
  private readonly metrics: StreamMetrics;
  /** Reads that wait must not hold up the commands of requests. */
  private readonly reader: Redis;
  private readonly stopping = new AbortController();
  private finished: Promise<void> = Promise.resolve();
  /** Only of the process that reads. */
  private waiting = new WaitingOrganizations();
  /** Failures of the whole stream in a row. */
  private failures = 0;

  constructor(
    dataSource: DataSource,
    @InjectDataSource(LOCK_DATA_SOURCE) private readonly locks: DataSource,
    private readonly redis: Redis,
    @Inject(RECORD_AREA) private readonly area: StreamedArea,
    @Inject(Registry) registry: Registry,
  ) {
    this.stream = recordStream(area.name);
    this.group = area.name;
    this.records = new StreamRecords(dataSource, area);
    this.unstored = new UnstoredRecords(dataSource.manager, area.schema);
    this.reader = duplicateRedis(redis, {
      commandTimeout: undefined,
      enableAutoPipelining: false,
      enableOfflineQueue: true,
    });
    this.reader.on('error', () => undefined);
    this.metrics = new StreamMetrics(registry, {
      backlog: () => redis.xlen(this.stream),
      waiting: () => this.waiting,
      rejected: this.unstored,
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
      let pauseMs = TAKEOVER_MS;
      try {
        await withExclusiveLock(this.locks, STREAM_LOCK, this.area.name, (isHeld) => this.read(isHeld));
      } catch (error) {
        if (signal.aborted) return;
        pauseMs = pauseAfter(this.failures);
        this.failures += 1;
        this.metrics.failures.inc({ of: 'stream' });
        this.logger.error(`the record stream is not read: ${String(error)}; trying again in ${pauseMs} ms`);
      }
      this.waiting = new WaitingOrganizations();
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async read(isHeld: () => Promise<void>): Promise<void> {
    await this.prepareGroup();
    let lookAgainAt = -Infinity;
    while (!this.stopping.signal.aborted) {
      await isHeld();
      if (performance.now() >= lookAgainAt) {
        this.waiting.addAll(await this.unstored.waitingOrganizations());
        lookAgainAt = performance.now() + LOOK_AGAIN_MS;
      }
      // One batch of one organization, however many wait: entries that have just come are not held up.
      const wait = this.waiting.due();
      if (wait) await this.tryAgain(wait);
      await this.take(await readBatch(this.redis, this.stream, this.group, CONSUMER, '0'), isHeld);
      await this.take(await this.next(), isHeld);
      this.failures = 0;
    }
  }

  private async prepareGroup(): Promise<void> {
    try {
      await this.redis.xgroup('CREATE', this.stream, this.group, '0', 'MKSTREAM');
    } catch (error) {
      if (!String(error).includes('BUSYGROUP')) throw error;
    }
  }

  /** Entries that were never read; if there are none, the first that comes while it waits. */
  private async next(): Promise<readonly RawStreamEntry[]> {
    const batch = await readBatch(this.redis, this.stream, this.group, CONSUMER, '>');
    if (batch.length > 0) return batch;
    // 0 would wait for ever.
    const waitMs = Math.max(1, Math.ceil(Math.min(READ_WAIT_MS, this.waiting.dueIn)));
    const answer = (await this.reader.xreadgroup(
      ...(['GROUP', this.group, CONSUMER] as const),
      ...(['COUNT', 1, 'BLOCK', waitMs] as const),
      ...(['STREAMS', this.stream, '>'] as const),
    )) as [stream: string, entries: RawStreamEntry[]][] | null;
    return answer?.[0]?.[1] ?? [];
  }

  private async take(raw: readonly RawStreamEntry[], isHeld: () => Promise<void>): Promise<void> {
    if (raw.length === 0) return;
    const entries = raw.map(toStreamEntry);
    for (const [organizationId, own] of byOrganization(entries)) {
      await isHeld();
      await this.keep(organizationId, own);
    }
    const ids = raw.map(([id]) => id);
    await this.redis
      .multi()
      .xack(this.stream, this.group, ...ids)
      .xdel(this.stream, ...ids)
      .exec();
    // Not in the same transaction: a Redis that is full refuses to store anything, but entries must leave it all the same.
    await acknowledge(this.redis, this.area.name, entries);
  }

  /**
   * Brings an organization's entries to PostgreSQL, one way or another.
   * @throws if PostgreSQL stores nothing
   */
  private async keep(organizationId: string, entries: readonly StreamEntry[]): Promise<void> {
    let done = 0;
    if (!this.waiting.has(organizationId)) {
      const progress = await this.records.store(organizationId, entries, (manager, { refused }) =>
        new UnstoredRecords(manager, this.area.schema).reject(organizationId, refused),
      );
      this.metrics.count(progress);
      done = progress.stored + progress.refused;
      if (progress.obstacle && !progress.obstacle.isBusy) this.tell(organizationId, progress.obstacle);
    }
    if (done === entries.length) return;
    const rest = entries.slice(done).map(({ record }) => record);
    await this.unstored.defer(organizationId, rest);
    if (!this.waiting.has(organizationId)) this.waiting.begin(organizationId);
    this.metrics.entries.inc({ outcome: 'deferred' }, rest.length);
  }

  private async tryAgain(wait: Wait): Promise<void> {
    const { organizationId } = wait;
    const records = await this.unstored.firstWaiting(organizationId, wait.batch);
    const progress = await this.records.store(
      organizationId,
      records,
      async (manager, { stored, refused }) => {
        const unstored = new UnstoredRecords(manager, this.area.schema);
        await unstored.reject(organizationId, refused);
        await unstored.removeWaiting(organizationId, [...stored, ...refused]);
      },
    );
    this.metrics.count(progress);
    if (!progress.obstacle) {
      const isOver = (await this.unstored.firstWaiting(organizationId, 1)).length === 0;
      if (isOver) this.waiting.end(wait);
      else this.waiting.advance(wait);
    } else if (progress.obstacle.isBusy) this.waiting.passOver(wait);
    else {
      this.waiting.fail(wait, progress.stored + progress.refused > 0);
      this.tell(organizationId, progress.obstacle);
    }
  }

  private tell(organizationId: string, { reason }: Obstacle): void {
    this.metrics.failures.inc({ of: 'organization' });
    this.logger.error(`records of organization ${organizationId} wait: ${reason}`);
  }
}

function byOrganization(entries: readonly StreamEntry[]): Map<string, StreamEntry[]> {
  const grouped = new Map<string, StreamEntry[]>();
  for (const entry of entries) {
    const own = grouped.get(entry.organizationId);
    if (own) own.push(entry);
    else grouped.set(entry.organizationId, [entry]);
  }
  return grouped;
}
