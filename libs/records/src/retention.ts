import { type DynamicModule, type InjectionToken, Logger, Module } from '@nestjs/common';
import {
  booleanColumn,
  inPieces,
  organizationsIn,
  pause,
  RepeatedJob,
  RunsByItself,
  Statement,
  textColumn,
  WORK_DATA_SOURCE,
  DAY_MS,
} from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { getDataSourceToken } from '@nestjs/typeorm';

/** Pauses between steps let others work: a multiple of the step's time, and at least some milliseconds. */
const PAUSE_PER_STEP = 4;
const LEAST_PAUSE_MS = 20;

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
@RunsByItself({
  name: 'Expired data is deleted',
  services: 'B, C, with a retention',
  pauseMs: 60_000,
  connections: 'of background work',
  missed: 'Data stays longer than its retention. Log: "expired data is kept for now"',
})
export class RetentionJob extends RepeatedJob {
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

/** Before the first row of an organization. */
const START = {
  text: { createdAt: '-infinity', id: '' },
  uuid: { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' },
} as const;

export interface Aged {
  readonly table: string;
  readonly updatedAt: string;
}

/** Rows of one search: most of them may be in use. */
const LOOKED_AT = 1_000;

/**
 * Finds expired rows, some of an organization at a time. Rows created after the expiry are not read; older rows may have
 * changed since.
 * @param aged a table with an index over the organization, `created_at` and `id`
 * @param limit rows of one step
 */
export function oldestFirst(
  { table, updatedAt }: Aged,
  idType: keyof typeof START,
  limit: number,
): ExpiringData['find'] {
  const oldest = new Statement(
    { organizationId: 'text', createdAt: 'timestamptz', id: idType, before: 'timestamptz' },
    {
      id: textColumn('id'),
      createdAt: textColumn('created_at'),
      hasExpired: booleanColumn('updated_at < $before'),
    },
    (list) => `SELECT ${list} FROM (
      SELECT id, created_at, ${updatedAt} AS updated_at FROM ${table}
      WHERE organization_id = $organizationId AND (created_at, id) > ($createdAt, $id)
        AND created_at < $before
      ORDER BY organization_id, created_at, id LIMIT ${LOOKED_AT}
    ) AS oldest ORDER BY oldest.created_at, oldest.id`,
  );
  return async function* (manager, before) {
    for (const organizationId of await organizationsIn(manager, table)) {
      let place: { readonly createdAt: string; readonly id: string } = START[idType];
      for (;;) {
        const found = await oldest.run(manager, { organizationId, ...place, before });
        const end = found.at(-1);
        if (!end) break;
        place = end;
        const ids = found.filter(({ hasExpired }) => hasExpired).map(({ id }) => id);
        if (ids.length === 0) yield { organizationId, ids };
        for (const some of inPieces(ids, limit)) yield { organizationId, ids: some };
      }
    }
  };
}

@Module({})
export class RetentionModule {
  /**
   * @param keptDays undefined: nothing expires
   * @param expiringData gets the data source of background work and the injected values
   */
  static forRoot<Injected extends unknown[]>(
    keptDays: number | undefined,
    expiringData: (dataSource: DataSource, ...injected: Injected) => ExpiringData,
    inject: readonly InjectionToken[] = [],
  ): DynamicModule {
    if (keptDays === undefined) return { module: RetentionModule };
    const job = {
      provide: RetentionJob,
      inject: [getDataSourceToken(WORK_DATA_SOURCE), ...inject],
      useFactory: (dataSource: DataSource, ...injected: Injected) =>
        new RetentionJob(dataSource, expiringData(dataSource, ...injected), keptDays),
    };
    return { module: RetentionModule, providers: [job] };
  }
}
