import { Logger } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import {
  inTransaction,
  memoize,
  numberColumn,
  RepeatedJob,
  RunsByItself,
  Statement,
  textColumn,
  UnscopedStatement,
  DAY_MS,
} from '@cxp/storage';

/** The organization's writes wait for one step. */
const REMOVALS_PER_STEP = 5_000;

export interface MaintenanceOptions {
  readonly schema: string;
  /** 0 keeps removals for one run of the job. */
  readonly removalsKeptDays: number;
  /**
   * The area's part of each run.
   * @param prunedBefore removals from before this instant go
   */
  readonly maintain?: (prunedBefore: Date) => Promise<void>;
}

/** Prunes removals every minute, in any number of processes: the row of the organization's numbers is their lock. */
@RunsByItself({
  name: 'Old removals are forgotten',
  services: 'B, C',
  pauseMs: 60_000,
  connections: 'of background work',
  missed: '`change_removal` grows. Log: "the change feed is not maintained"',
})
export class ChangeFeedMaintenance extends RepeatedJob {
  private readonly logger = new Logger(ChangeFeedMaintenance.name);
  private lastRun = 0;
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly options: MaintenanceOptions,
  ) {
    super();
    this.statements = statementsOf(options.schema);
  }

  protected work(): Promise<void> {
    return this.run();
  }

  /** Removals that are kept for 0 days stay until the next run. */
  async run(): Promise<void> {
    const keptSince = Date.now() - this.options.removalsKeptDays * DAY_MS;
    const before = new Date(Math.min(keptSince, this.lastRun));
    this.lastRun = Date.now();
    await this.prune(before);
  }

  async prune(before: Date): Promise<void> {
    const organizations = await this.statements.organizations.run(this.dataSource.manager, { before });
    for (const { organizationId } of organizations) {
      if (this.stop.aborted) return;
      // An organization that fails does not stop the others.
      await this.pruneOf(organizationId, before).catch((error: unknown) => this.warn(error));
    }
    await this.options.maintain?.(before);
  }

  private async pruneOf(organizationId: string, before: Date): Promise<void> {
    let pruned: number;
    do {
      pruned = await inTransaction(this.dataSource, organizationId, [], async (manager) => {
        // First, like everything that changes removals.
        await this.statements.lockNumbers.run(manager, { organizationId });
        return (await this.statements.prune.first(manager, { organizationId, before }))?.pruned ?? 0;
      });
    } while (pruned === REMOVALS_PER_STEP && !this.stop.aborted);
  }

  protected warn(error: unknown): void {
    this.logger.warn(`the change feed is not maintained: ${String(error)}`);
  }
}

const statementsOf = memoize((schema: string) => ({
  organizations: new UnscopedStatement(
    { before: 'timestamptz' },
    { organizationId: textColumn('organization_id') },
    (list) =>
      `SELECT DISTINCT ${list} FROM ${schema}.change_removal WHERE op = 'delete' AND recorded_at < $before`,
  ),
  lockNumbers: new Statement(
    { organizationId: 'text' },
    {},
    `SELECT FROM ${schema}.change_feed WHERE organization_id = $organizationId FOR UPDATE`,
  ),
  prune: new Statement(
    { organizationId: 'text', before: 'timestamptz' },
    { pruned: numberColumn('(SELECT count(*) FROM pruned)') },
    (list) => `WITH expired AS (
       SELECT key FROM ${schema}.change_removal
       WHERE organization_id = $organizationId AND op = 'delete' AND recorded_at < $before
       LIMIT ${REMOVALS_PER_STEP}
     ), pruned AS (
       DELETE FROM ${schema}.change_removal AS removal USING expired
       WHERE removal.organization_id = $organizationId AND removal.op = 'delete' AND removal.key = expired.key
       RETURNING change
     )
     UPDATE ${schema}.change_feed SET pruned = GREATEST(pruned, (SELECT max(change) FROM pruned))
     WHERE organization_id = $organizationId
     RETURNING ${list}`,
  ),
}));
