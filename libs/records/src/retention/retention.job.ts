import { Logger } from '@nestjs/common';
import { pause, RepeatedJob } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';

/** Pauses between steps let others work: a multiple of the step's time, and at least some milliseconds. */
const PAUSE_PER_STEP = 4;
const LEAST_PAUSE_MS = 20;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Older data has expired. */
export function expiryOf(keptDays: number): Date {
  return new Date(Date.now() - keptDays * DAY_MS);
}

export interface Expired {
  readonly organizationId: string;
  readonly ids: readonly string[];
}

export interface ExpiringData {
  /** Yields expired data of one organization at a time, as much as one step removes. */
  find(manager: EntityManager, before: Date): AsyncIterable<Expired>;
  /** Removes what is still expired, under the organization's lock: any number of processes may do so. */
  remove(expired: Expired, before: Date): Promise<void>;
}

/** Removes expired data every minute, in small steps. */
export class RetentionJob extends RepeatedJob {
  protected readonly pauseMs = 60_000;
  private readonly logger = new Logger(RetentionJob.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly expiring: ExpiringData,
    private readonly keptDays: number,
  ) {
    super();
  }

  protected work(): Promise<void> {
    return this.removeExpired();
  }

  /** A busy organization does not delay the others: what fails is left for the next run. */
  async removeExpired(): Promise<void> {
    const before = expiryOf(this.keptDays);
    for await (const expired of this.expiring.find(this.dataSource.manager, before)) {
      if (this.stop.aborted) return;
      const startedAt = performance.now();
      if (expired.ids.length > 0)
        await this.expiring.remove(expired, before).catch((error: unknown) => this.warn(error));
      const took = performance.now() - startedAt;
      await pause(Math.max(LEAST_PAUSE_MS, took * PAUSE_PER_STEP), this.stop);
    }
  }

  protected warn(error: unknown): void {
    this.logger.warn(`expired data is kept for now: ${String(error)}`);
  }
}
