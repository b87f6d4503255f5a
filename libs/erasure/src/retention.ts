import { setTimeout as sleep } from 'node:timers/promises';
import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { withExclusiveLock } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';

/** The key space of the lock that the process which removes holds. */
const RETENTION_LOCK = 0x7265;

/** The pause between two steps, in which others have their turn: this many times as long as the step took, and at least so many milliseconds. */
const PAUSE_PER_STEP = 4;
const LEAST_PAUSE_MS = 20;

/** The pause after everything that has expired is removed, in milliseconds. */
const REST_MS = 60_000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** What of an area expires. */
export interface ExpiringData {
  readonly area: string;
  readonly keptDays: number;
  /**
   * The first of what has expired after a place in an order, all of one organization, and as little as one transaction removes.
   * @returns undefined when there is no more
   */
  find(manager: EntityManager, before: Date, after: string | undefined): Promise<Expired | undefined>;
  /** Removes of it what still has expired, in a transaction in the organization's turn. */
  remove(expired: Expired, before: Date): Promise<void>;
}

export interface Expired {
  readonly organizationId: string;
  readonly ids: readonly string[];
  /** Where the next search begins. */
  readonly place: string;
}

/** Before this instant data has expired. */
export function expiryOf(keptDays: number): Date {
  return new Date(Date.now() - keptDays * DAY_MS);
}

/** Removes what has expired, in small steps. Of several processes one does it. */
export class Retention implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Retention.name);
  private readonly stopping = new AbortController();
  private finished: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly locks: DataSource,
    private readonly data: ExpiringData,
  ) {}

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
        await withExclusiveLock(this.locks, RETENTION_LOCK, this.data.area, (isHeld) =>
          this.removeExpired(isHeld),
        );
      } catch (error) {
        this.logger.warn(`expired data is kept: ${String(error)}`);
      }
      await this.pause(REST_MS);
    }
  }

  /** Removes all that has expired by now. What fails is left for the next run. */
  async removeExpired(isHeld: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const { data } = this;
    const before = expiryOf(data.keptDays);
    let expired = await data.find(this.dataSource.manager, before, undefined);
    while (expired && !this.stopping.signal.aborted) {
      const startedAt = performance.now();
      await isHeld();
      if (expired.ids.length > 0) await this.remove(expired, before);
      await this.pause(Math.max(LEAST_PAUSE_MS, (performance.now() - startedAt) * PAUSE_PER_STEP));
      expired = await data.find(this.dataSource.manager, before, expired.place);
    }
  }

  /** A busy organization does not hold up the others. */
  private async remove(expired: Expired, before: Date): Promise<void> {
    try {
      await this.data.remove(expired, before);
    } catch (error) {
      this.logger.warn(
        `expired data of organization ${expired.organizationId} is kept for now: ${String(error)}`,
      );
    }
  }

  private async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
