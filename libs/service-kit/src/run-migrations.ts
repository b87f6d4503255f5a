import { setTimeout as sleep } from 'node:timers/promises';
import { isDependencyUnavailable, migrate, pendingMigrations, type DatabaseArea } from '@cxp/storage';
import { IsDatabaseUrl } from './settings/decorators';
import { loadSettings } from './settings/load-settings';

class MigrationSettings {
  @IsDatabaseUrl()
  DATABASE_URL: string;
}

const WAIT_BETWEEN_CHECKS_MS = 1_000;

/**
 * All of a service's `migrate.ts`, which its image runs before a new version serves. With `--wait` it migrates nothing
 * and ends once somebody else has: processes of the new version start after that.
 */
export async function runMigrations(databases: readonly DatabaseArea[]): Promise<void> {
  try {
    // eslint-disable-next-line no-restricted-properties -- a process of its own, with its own settings
    const { DATABASE_URL } = loadSettings(MigrationSettings, process.env);
    for (const database of databases) {
      const bringUp = process.argv.includes('--wait') ? untilMigrated : migrate;
      const migrations = await bringUp(database, DATABASE_URL);
      process.stdout.write(`${JSON.stringify({ area: database.name, migrations })}\n`);
    }
  } catch (error) {
    process.stderr.write(`migrate: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** @returns the names of the migrations that this process has run: none */
async function untilMigrated(database: DatabaseArea, databaseUrl: string): Promise<string[]> {
  for (;;) {
    try {
      const pending = await pendingMigrations(database, databaseUrl);
      if (pending.length === 0) return pending;
    } catch (error) {
      if (!isDependencyUnavailable(error)) throw error;
    }
    await sleep(WAIT_BETWEEN_CHECKS_MS);
  }
}
