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
    await untilUnlocked(() => dataSource.runMigrations());
    await untilUnlocked(() => forgetOrganizations(dataSource, area.schema));
    return names;
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await dataSource.destroy();
  }
}

async function untilUnlocked(change: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await change();
      return;
    } catch (error) {
      if (!isLockTimeout(error) || attempt === LOCK_ATTEMPTS) throw error;
      await sleep(LOCK_TIMEOUT_MS);
    }
  }
}

/**
 * Keeps PostgreSQL from counting rows by organization. Of one that came after the statistics it would expect no rows at all,
 * and go through all of them, in an index that begins with the organization, for each that is looked up by its key.
 */
async function forgetOrganizations(dataSource: DataSource, schema: string): Promise<void> {
  const tables: { name: string }[] = await dataSource.query(
    `SELECT attrelid::regclass AS name
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = $1::regnamespace AND relkind = 'r'
       AND attname = 'organization_id' AND attstattarget IS DISTINCT FROM 0`,
    [schema],
  );
  for (const { name } of tables) {
    await dataSource.query(`ALTER TABLE ${name} ALTER COLUMN organization_id SET STATISTICS 0`);
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof QueryFailedError && (error.driverError as { code?: string }).code === '55P03';
}
