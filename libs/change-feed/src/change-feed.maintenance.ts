import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import {
  inTransaction,
  madeOnce,
  numberColumn,
  Statement,
  textColumn,
  UnscopedStatement,
} from '@cxp/storage';

/** How often the job runs, in milliseconds. */
const RUN_EVERY_MS = 60_000;

/** Removals that are pruned at once: the organization's writes wait for that long. */
const REMOVALS_PER_STEP = 5_000;

const DAY_MS = 24 * 60 * 60 * 1000;

export interface MaintenanceOptions {
  readonly schema: string;
  /** How long removals are kept; 0: for one run of the job. */
  readonly removalsKeptDays: number;
  /**
   * The area's own part of each run.
   * @param prunedBefore what was removed before this instant is not kept any longer
   */
  readonly maintain?: (prunedBefore: Date) => Promise<void>;
}

/** Prunes removals every minute. Any number of processes may do it: an organization's removals are pruned under its lock. */
export class ChangeFeedMaintenance implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ChangeFeedMaintenance.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;
  private isStopping = false;
  /** The time of this process's last run. */
  private lastRun = 0;
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: MaintenanceOptions,
  ) {
    this.statements = statementsOf(options.schema);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      if (this.isRunning) return;
      this.isRunning = true;
      this.running = this.run()
        .catch((error: unknown) => this.warn(error))
        .finally(() => (this.isRunning = false));
    }, RUN_EVERY_MS);
    this.timer.unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  /** One minute's work. What is kept for 0 days stays until the run after. */
  async run(): Promise<void> {
    const keptSince = Date.now() - this.options.removalsKeptDays * DAY_MS;
    const before = new Date(Math.min(keptSince, this.lastRun));
    this.lastRun = Date.now();
    await this.prune(before);
  }

  async prune(before: Date): Promise<void> {
    const organizations = await this.statements.organizations.run(this.dataSource.manager, [before]);
    for (const { organizationId } of organizations) {
      if (this.isStopping) return;
      // One organization that can't be pruned now keeps no other from it.
      await this.pruneOf(organizationId, before).catch((error: unknown) => this.warn(error));
    }
    await this.options.maintain?.(before);
  }

  private async pruneOf(organizationId: string, before: Date): Promise<void> {
    let pruned: number;
    do {
      pruned = await inTransaction(this.dataSource, organizationId, [], async (manager) => {
        // First, as everything does that changes removals.
        await this.statements.lockNumbers.run(manager, [organizationId]);
        return (await this.statements.prune.first(manager, [organizationId, before]))?.pruned ?? 0;
      });
    } while (pruned === REMOVALS_PER_STEP && !this.isStopping);
  }

  private warn(error: unknown): void {
    this.logger.warn(`the change feed is not maintained: ${String(error)}`);
  }
}

const statementsOf = madeOnce((schema: string) => ({
  /** $1 the instant before which removals are pruned. */
  organizations: new UnscopedStatement(
    { organizationId: textColumn('organization_id') },
    (list) =>
      `SELECT DISTINCT ${list} FROM ${schema}.change_removal WHERE op = 'delete' AND recorded_at < $1`,
  ),
  lockNumbers: new Statement({}, `SELECT FROM ${schema}.change_feed WHERE organization_id = $1 FOR UPDATE`),
  /** $1 organization, $2 the instant. */
  prune: new Statement(
    { pruned: numberColumn('(SELECT count(*) FROM pruned)') },
    (list) => `WITH expired AS (
       SELECT key FROM ${schema}.change_removal
       WHERE organization_id = $1 AND op = 'delete' AND recorded_at < $2
       LIMIT ${REMOVALS_PER_STEP}
     ), pruned AS (
       DELETE FROM ${schema}.change_removal AS removal USING expired
       WHERE removal.organization_id = $1 AND removal.op = 'delete' AND removal.key = expired.key
       RETURNING change
     )
     UPDATE ${schema}.change_feed SET pruned = GREATEST(pruned, (SELECT max(change) FROM pruned))
     WHERE organization_id = $1
     RETURNING ${list}`,
  ),
}));
