import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, QueryFailedError, type MigrationInterface } from 'typeorm';
import { pendingMigrations } from './pending-migrations';

/** What one area keeps in PostgreSQL: a schema of its own, and the migrations that build it, oldest first. */
export interface DatabaseArea {
  readonly name: string;
  readonly schema: string;
  readonly migrations: (new () => MigrationInterface)[];
}

/** One lock for all areas: two migration jobs that start together run one after the other. */
const MIGRATION_LOCK = 0x637870;

/**
 * How long a migration waits for a table, in milliseconds: whoever wants the table after it waits behind it, and the
 * version that serves must not lose a request. Then it lets them through and tries again.
 */
const LOCK_TIMEOUT_MS = 500;

const LOCK_ATTEMPTS = 300;

/**
 * Brings one area's schema up to date. Safe to run from several processes at once and as often as wished.
 * @returns the names of the migrations that were run, oldest first
 */
export async function migrate(area: DatabaseArea, databaseUrl: string): Promise<string[]> {
  const dataSource = await new DataSource({
    type: 'postgres',
    url: databaseUrl,
    schema: area.schema,
    migrations: area.migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    extra: { max: 2, lock_timeout: LOCK_TIMEOUT_MS },
  }).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SET lock_timeout = 0');
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await lock.query(`CREATE SCHEMA IF NOT EXISTS "${area.schema}"`);
    const names = await pendingMigrations(area, databaseUrl);
    await runMigrations(dataSource);
    return names;
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await dataSource.destroy();
  }
}

async function runMigrations(dataSource: DataSource): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await dataSource.runMigrations();
      return;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === LOCK_ATTEMPTS) throw error;
      await sleep(LOCK_TIMEOUT_MS);
    }
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: string }).code === '55P03';
}
