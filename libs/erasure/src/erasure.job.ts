import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { booleanColumn, UnscopedStatement, WORK_DATA_SOURCE, pause } from '@cxp/storage';
import type { DataSource } from 'typeorm';
import { ERASURE_AREA, type ErasureArea, type Expired } from './erasure-area';
import { ErasureService } from './erasure.service';

/** Milliseconds between polls for due erasures. */
const LOOK_MS = 2_000;

/** Milliseconds between two runs of retention. */
const REST_MS = 60_000;

/** Pauses between steps let others work: a multiple of the step's time, and at least some milliseconds. */
const PAUSE_PER_STEP = 4;
const LEAST_PAUSE_MS = 20;
/** Less than the limit of an idle transaction. */
const MOST_PAUSE_MS = 10_000;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The key space of the advisory lock of retention. */
const RETENTION_LOCK = 0x7265;

/** $1 area. The lock lasts to the end of the transaction. */
const TRY_LOCK = new UnscopedStatement(
  { isHeld: booleanColumn(`pg_try_advisory_xact_lock(${RETENTION_LOCK}, hashtext($1))`) },
  (list) => `SELECT ${list}`,
);

/** Older data has expired. */
export function expiryOf(keptDays: number): Date {
  return new Date(Date.now() - keptDays * DAY_MS);
}

/** Continues due erasures, and every minute removes expired data, in small steps. The two are independent. */
@Injectable()
export class ErasureJob implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ErasureJob.name);
  private readonly stopping = new AbortController();
  private finished: Promise<unknown> = Promise.resolve();

  constructor(
    @InjectDataSource(WORK_DATA_SOURCE) private readonly dataSource: DataSource,
    @Inject(ERASURE_AREA) private readonly area: ErasureArea,
    private readonly erasures: ErasureService,
  ) {}

  onApplicationBootstrap(): void {
    this.finished = Promise.all([
      this.repeat(() => this.erasures.continueDue(this.stopping.signal), LOOK_MS),
      this.repeat(() => this.removeExpired(), REST_MS),
    ]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.finished;
  }

  private async repeat(work: () => Promise<void>, pauseMs: number): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await work().catch((error: unknown) =>
        this.logger.warn(`what is to be erased is kept for now: ${String(error)}`),
      );
      await pause(pauseMs, this.stopping.signal);
    }
  }

  /** Removes all expired data. What fails is left for the next run. */
  async removeExpired(): Promise<void> {
    const { expiring } = this.area;
    if (!expiring) return;
    const before = expiryOf(expiring.keptDays);
    for await (const expired of expiring.find(this.dataSource.manager, before)) {
      if (expired.ids.length === 0) await pause(LEAST_PAUSE_MS, this.stopping.signal);
      else if (!(await this.removeAlone(expired, before))) return;
      if (this.stopping.signal.aborted) return;
    }
  }

  /**
   * Only one process removes at a time.
   * @returns false if another one does
   */
  private removeAlone(expired: Expired, before: Date): Promise<boolean> {
    return this.dataSource.transaction(async (lock) => {
      const { isHeld } = (await TRY_LOCK.first(lock, [this.area.name]))!;
      if (!isHeld) return false;
      const startedAt = performance.now();
      // A busy organization does not delay the others.
      await this.area.expiring!.remove(expired, before).catch((error: unknown) => {
        const { organizationId } = expired;
        this.logger.warn(`expired data of organization ${organizationId} is kept for now: ${String(error)}`);
      });
      const took = performance.now() - startedAt;
      const pauseMs = Math.min(Math.max(LEAST_PAUSE_MS, took * PAUSE_PER_STEP), MOST_PAUSE_MS);
      await pause(pauseMs, this.stopping.signal);
      return true;
    });
  }
}
