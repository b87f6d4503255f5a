import { setTimeout as sleep } from 'node:timers/promises';
import { IsOptional } from 'class-validator';
import { Client } from 'pg';
import {
  failureReason,
  isDependencyUnavailable,
  migrate,
  pendingMigrations,
  storeAddress,
  type DatabaseSchema,
} from '@cxp/storage';
import { logWarnings } from './logging/logger';
import { IsDatabaseUrl } from './settings/decorators';
import { processEnvironment } from './settings/environment';
import { loadSettings } from './settings/load-settings';

class MigrationSettings {
  /** PostgreSQL, as the role that serves. */
  @IsDatabaseUrl()
  DATABASE_URL: string;

  /** PostgreSQL, as the role that owns the schemas (roles.sql); by default `DATABASE_URL`. */
  @IsOptional()
  @IsDatabaseUrl()
  MIGRATION_DATABASE_URL?: string;
}

const WAIT_BETWEEN_CHECKS_MS = 1_000;

/**
 * All of a `migrate.ts`, which runs before a new version serves. With `--wait` it ends when another process has migrated:
 * processes of the new version start after that.
 */
export async function runMigrations(databases: readonly DatabaseSchema[]): Promise<void> {
  logWarnings((line) => process.stderr.write(`migrate: ${line}\n`));
  try {
    const { DATABASE_URL, MIGRATION_DATABASE_URL } = loadSettings(MigrationSettings, processEnvironment);
    for (const database of databases) {
      const migrations = process.argv.includes('--wait')
        ? await untilMigrated(database, DATABASE_URL)
        : await migrate(
            database,
            MIGRATION_DATABASE_URL ?? DATABASE_URL,
            MIGRATION_DATABASE_URL && roleOf(DATABASE_URL),
          );
      process.stdout.write(`${JSON.stringify({ area: database.name, migrations })}\n`);
    }
  } catch (error) {
    process.stderr.write(`migrate: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function roleOf(databaseUrl: string): string {
  return new Client({ connectionString: databaseUrl }).user!;
}

/** @returns the names of the migrations that this process has run: none */
async function untilMigrated(database: DatabaseSchema, databaseUrl: string): Promise<string[]> {
  let reported: string | undefined;
  for (;;) {
    const reason = await findReasonToWait(database, databaseUrl);
    if (!reason) return [];
    if (reason !== reported) process.stderr.write(`migrate: waiting: ${reason}\n`);
    reported = reason;
    await sleep(WAIT_BETWEEN_CHECKS_MS);
  }
}

/** @throws when waiting can't help */
async function findReasonToWait(database: DatabaseSchema, databaseUrl: string): Promise<string | undefined> {
  try {
    const [next] = await pendingMigrations(database, databaseUrl);
    return next && `${next} of ${database.name} has not been run`;
  } catch (error) {
    if (isDependencyUnavailable(error))
      return `PostgreSQL at ${storeAddress(databaseUrl)}: ${failureReason(error)}`;
    // The rights come with the migration.
    if ((error as { code?: string }).code === '42501')
      return `${failureReason(error)}: ${database.name} is not granted`;
    throw error;
  }
}
