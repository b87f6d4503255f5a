import { randomUUID } from 'node:crypto';
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
import { Counter, Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import {
  acknowledgedRecords,
  type AddedRecord,
  addToStream,
  countRejectedRecords,
  recordStream,
  UnstoredRecords,
  WaitingOrganizations,
  type Wait,
} from '@cxp/record-intake';
import { isDataFault, LOCK_DATA_SOURCE, withExclusiveLock } from '@cxp/storage';
import { changeRecords } from './change-records';
import { InFlight, type Shipment } from './in-flight';
import {
  type ChangeKey,
  conversationKey,
  OutboxRepository,
  type Except,
  type OutboxChange,
} from './outbox.repository';

/** The area whose records these are. */
const AREA = 'contact-center';

/** The key space of the lock that the process which relays holds. */
const RELAY_LOCK = 0x7772;

/** Few enough that sending them, in a few milliseconds, does not hold up messages. */
const BATCH_CHANGES = 200;

/** Changes that are sent before area B acknowledges any: all others wait in PostgreSQL, whose disk is larger than Redis's memory. */
const MAX_IN_FLIGHT_CHANGES = 2_000;

/** Records of processes that sent and died may be unread, too: with so many unread nothing is sent. */
const MAX_UNREAD_RECORDS = 20_000;

/** Acknowledgements that are read at once. */
const ACKNOWLEDGEMENTS = 500;

/** The pause between two rounds, in milliseconds: the least while there is work, the most while there is none. */
const PAUSE_MS = { min: 20, max: 200 };

/** The pause after a failure, in milliseconds. */
const FAILURE_PAUSE_MS = 1_000;

/** How often unacknowledged records are looked for in Redis, which may have lost them, in milliseconds. */
const CHECK_AFTER_MS = 5_000;

/**
 * Sends committed changes to area B as records on its stream, and removes each from the outbox when area B has acknowledged
 * that it is stored. If Redis loses records on their way, they are sent again: records are upserts, so the data is
 * exactly once. One process relays at a time, so that the changes of a conversation arrive in their order.
 */
@Injectable()
export class OutboxRelay implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(OutboxRelay.name);
  /** Replaced by tests: no change is known that it fails at. */
  changeRecords = changeRecords;
  /** Shortened by tests. */
  checkAfterMs = CHECK_AFTER_MS;
  private readonly relayed: Counter;
  private readonly resent: Counter;
  private readonly stopping = new AbortController();
  private finished: Promise<void> = Promise.resolve();

  constructor(
    dataSource: DataSource,
    @InjectDataSource(LOCK_DATA_SOURCE) private readonly locks: DataSource,
    private readonly outbox: OutboxRepository,
    private readonly redis: Redis,
    @Inject(Registry) registry: Registry,
  ) {
    const registers = [registry];
    this.relayed = new Counter({
      name: 'webchat_changes_relayed_total',
      help: 'Changes of conversations that the export has stored',
      registers,
    });
    this.resent = new Counter({
      name: 'webchat_changes_resent_total',
      help: 'Changes of conversations that Redis lost on their way to the export',
      registers,
    });
    countRejectedRecords(registry, new UnstoredRecords(dataSource.manager, 'webchat'));
    new Gauge({
      name: 'webchat_outbox_oldest_seconds',
      help: 'Age of the oldest change of a conversation that the export has not stored, 0 without one',
      registers,
      async collect() {
        this.set(await outbox.oldestAgeSeconds().catch(() => NaN));
      },
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
    while (!this.stopping.signal.aborted) {
      try {
        await withExclusiveLock(this.locks, RELAY_LOCK, 'outbox', (isHeld) => this.relay(isHeld));
      } catch (error) {
        this.warn(error);
      }
      await this.pause(FAILURE_PAUSE_MS);
    }
  }

  /** Relays until the service stops, or the lock is lost. */
  private async relay(isHeld: () => Promise<void>): Promise<void> {
    const inFlight = new InFlight();
    const waiting = new WaitingOrganizations();
    let pauseMs = PAUSE_MS.min;
    while (!this.stopping.signal.aborted) {
      await isHeld();
      try {
        const beganAt = performance.now();
        const isBusy = await this.round(inFlight, waiting);
        // As long as it worked: messages have half of the time, however many changes wait.
        const restMs = isBusy ? performance.now() - beganAt : 2 * pauseMs;
        pauseMs = Math.min(Math.max(restMs, PAUSE_MS.min), PAUSE_MS.max);
      } catch (error) {
        this.warn(error);
        pauseMs = FAILURE_PAUSE_MS;
      }
      await this.pause(pauseMs);
    }
  }

  /** @returns whether there was anything to do */
  private async round(inFlight: InFlight, waiting: WaitingOrganizations): Promise<boolean> {
    const lost = await this.findLost(inFlight);
    await this.readAcknowledgements(inFlight);
    for (const shipment of lost) this.release(inFlight, shipment);
    const removed = await this.removeAcknowledged(inFlight);
    const sent = await this.send(inFlight, waiting);
    return removed + sent > 0;
  }

  /** Shipments that are neither stored nor in Redis; those that were acknowledged meanwhile may be among them. */
  private async findLost(inFlight: InFlight): Promise<Shipment[]> {
    const now = performance.now();
    const shipments = inFlight.uncheckedSince(now - this.checkAfterMs);
    if (shipments.length === 0) return [];
    const commands = this.redis.pipeline();
    for (const { unacknowledged } of shipments) {
      const [streamId] = unacknowledged.values();
      commands.xrange(recordStream(AREA), streamId!, streamId!);
    }
    const found = await results<unknown[]>(commands);
    for (const [i, shipment] of shipments.entries()) {
      if (found[i]!.length > 0) shipment.checkedAt = now;
    }
    return shipments.filter((_, i) => found[i]!.length === 0);
  }

  private async readAcknowledgements(inFlight: InFlight): Promise<void> {
    if (inFlight.size === 0) return;
    for (let ids: string[] | null = []; ids;) {
      ids = await this.redis.lpop(acknowledgedRecords(AREA), ACKNOWLEDGEMENTS);
      for (const id of ids ?? []) inFlight.acknowledge(id);
    }
  }

  private release(inFlight: InFlight, shipment: Shipment): void {
    if (shipment.unacknowledged.size === 0) return;
    inFlight.release(shipment);
    this.resent.inc(shipment.changes.length);
  }

  private async removeAcknowledged(inFlight: InFlight): Promise<number> {
    const shipments = inFlight.acknowledged();
    const changes = shipments.flatMap((shipment) => shipment.changes);
    await this.outbox.remove(changes);
    for (const shipment of shipments) inFlight.release(shipment);
    this.relayed.inc(changes.length);
    return changes.length;
  }

  /** @returns how many changes; those that can't be told are among them. @throws unless Redis has stored all of it; then it is sent again */
  private async send(inFlight: InFlight, waiting: WaitingOrganizations): Promise<number> {
    if (inFlight.size >= MAX_IN_FLIGHT_CHANGES) return 0;
    const due = waiting.due();
    const changes = await this.next({
      conversations: inFlight.conversations(),
      organizations: waiting.organizations.filter((id) => id !== due?.organizationId),
    });
    if (changes.length === 0) {
      if (due) waiting.end(due);
      return 0;
    }
    if ((await this.redis.xlen(recordStream(AREA))) > MAX_UNREAD_RECORDS) {
      throw new Error(`${MAX_UNREAD_RECORDS} records are unread: is contact-center-export running?`);
    }
    const added: AddedRecord[] = [];
    const failures = new Map<string, unknown>();
    const parcels = Object.entries(byConversation(changes)).flatMap(([conversation, changes]) => {
      let records: ReturnType<typeof changeRecords>;
      try {
        records = this.changeRecords(changes);
      } catch (error) {
        failures.set(changes[0]!.organizationId, error);
        return [];
      }
      const ids = records.map((record) => {
        const id = randomUUID();
        added.push({ record, acknowledgeAs: id });
        return id;
      });
      // What is in flight lives longer than garbage that is collected often: no more of it than is needed.
      return [{ conversation, changes: changes.map(keyOf), ids }];
    });
    this.letWait(waiting, due, failures);
    if (parcels.length === 0) return 0;
    // All at once: if Redis loses one of the records of a change, it loses those after it, too.
    const streamIds = (await addToStream(this.redis, AREA, added)).values();
    const checkedAt = performance.now();
    for (const { conversation, changes, ids } of parcels) {
      const unacknowledged = new Map(ids.map((id) => [id, streamIds.next().value!]));
      inFlight.add({ conversation, changes, unacknowledged, checkedAt });
    }
    return changes.length;
  }

  /** The oldest changes. One that PostgreSQL can't read because its data is at fault is put aside. */
  private async next(except: Except, limit = BATCH_CHANGES): Promise<OutboxChange[]> {
    try {
      return await this.outbox.next(limit, except);
    } catch (error) {
      if (!isDataFault(error)) throw error;
      if (limit > 1) return this.next(except, Math.floor(limit / 2));
      await this.outbox.rejectOldest(except, String(error));
      return [];
    }
  }

  /** Organizations with a change that could not be told are tried again after growing pauses; the others go on. */
  private letWait(
    waiting: WaitingOrganizations,
    due: Wait | undefined,
    failures: ReadonlyMap<string, unknown>,
  ): void {
    if (due && !failures.has(due.organizationId)) waiting.end(due);
    for (const [organizationId, error] of failures) {
      this.logger.error(`changes of organization ${organizationId} wait: ${String(error)}`);
      if (organizationId === due?.organizationId) waiting.fail(due, false);
      else waiting.begin(organizationId);
    }
  }

  private warn(error: unknown): void {
    this.logger.warn(`changes wait in the outbox: ${String(error)}`);
  }

  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

function byConversation(changes: readonly OutboxChange[]): Readonly<Record<string, OutboxChange[]>> {
  const grouped: Record<string, OutboxChange[]> = {};
  for (const change of changes) (grouped[conversationKey(change)] ??= []).push(change);
  return grouped;
}

function keyOf({ organizationId, position }: OutboxChange): ChangeKey {
  return { organizationId, position };
}

/** @throws the first command's error */
async function results<Result>(commands: {
  exec(): Promise<[Error | null, unknown][] | null>;
}): Promise<Result[]> {
  return ((await commands.exec()) ?? []).map(([error, result]) => {
    if (error) throw error;
    return result as Result;
  });
}
