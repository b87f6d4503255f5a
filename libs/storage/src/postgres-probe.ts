import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { type ClientBase, Pool, type PoolConfig } from 'pg';
import { areaProblem } from './area-rights';
import type { DatabaseSchema } from './database-schema';
import { DependencyUnavailableError, failureReason, storeAddress } from './failures';

const CONNECT_TIMEOUT_MS = 1_000;

/** Milliseconds that a good result is cached. Missing rights are noticed within ten seconds. */
const AREAS_CHECKED_FOR_MS = 5_000;

/**
 * Asks over its own connection whether the service can serve: the server answers, the areas' schemas are migrated, and the role
 * has the rights.
 */
export class PostgresProbe implements OnApplicationShutdown {
  private readonly pool: Pool;
  private readonly logger = new Logger(PostgresProbe.name);
  private asked: Promise<boolean> | undefined;
  private areasCheckedAt = -Infinity;
  /** The last answer; undefined if all was well. */
  private problem: string | undefined;

  constructor(
    private readonly url: string,
    applicationName: string,
    options: PoolConfig,
    private readonly areas: readonly DatabaseSchema[],
  ) {
    this.pool = new Pool({
      connectionString: url,
      application_name: applicationName,
      max: 1,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      ...options,
    });
    // Without a listener a lost connection would end the process; the next query reconnects.
    this.pool.on('error', () => undefined);
  }

  isUp(): Promise<boolean> {
    this.asked ??= this.ask().finally(() => (this.asked = undefined));
    return this.asked;
  }

  /** Whether a backend is working on a query; false if the server can't be asked. */
  async isRunning(processId: number): Promise<boolean> {
    const sql = `SELECT FROM pg_stat_activity WHERE pid = $1 AND state = 'active'`;
    const found = await this.pool.query(sql, [processId]).catch(() => undefined);
    return found?.rowCount === 1;
  }

  /** Whether commits wait for another server, by the settings of the server and of this role. */
  async waitsForStandby(): Promise<boolean> {
    const { rows } = await this.pool.query<{ waits: boolean }>(
      `SELECT current_setting('synchronous_standby_names') <> ''
         AND current_setting('synchronous_commit') NOT IN ('off', 'local') AS waits`,
    );
    return rows[0]!.waits;
  }

  private async ask(): Promise<boolean> {
    const problem = await this.findProblem().catch(failureReason);
    if (problem && problem !== this.problem) {
      this.logger.warn(`PostgreSQL at ${storeAddress(this.url)} can't be served from: ${problem}`);
    }
    this.problem = problem;
    return problem === undefined;
  }

  private async findProblem(): Promise<string | undefined> {
    await refuseStandby(this.pool);
    if (performance.now() - this.areasCheckedAt < AREAS_CHECKED_FOR_MS) return undefined;
    for (const area of this.areas) {
      const problem = await areaProblem(this.pool, area);
      if (problem) return problem;
    }
    this.areasCheckedAt = performance.now();
    return undefined;
  }

  onApplicationShutdown(): Promise<void> {
    return this.pool.end();
  }
}

/**
 * A server in recovery may lack answered writes, and its numbers of changes and pages would go back.
 * @throws DependencyUnavailableError
 */
export async function refuseStandby(connection: ClientBase | Pool): Promise<void> {
  const { rows } = await connection.query<{ isStandby: boolean }>(
    'SELECT pg_is_in_recovery() AS "isStandby"',
  );
  if (rows[0]!.isStandby) throw new DependencyUnavailableError('the server is in recovery: it is a standby');
}
