import { DataSource, type MigrationInterface } from 'typeorm';

/** What one area keeps in PostgreSQL: a schema of its own, and the migrations that build it, oldest first. */
export interface DatabaseArea {
  readonly name: string;
  readonly schema: string;
  readonly migrations: (new () => MigrationInterface)[];
}

/** One lock for all areas: two migration jobs that start together run one after the other. */
const MIGRATION_LOCK = 0x637870;

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
    extra: { max: 2 },
  }).initialize();
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await lock.query(`CREATE SCHEMA IF NOT EXISTS "${area.schema}"`);
    const run = await dataSource.runMigrations();
    return run.map(({ name }) => name);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await dataSource.destroy();
  }
}
