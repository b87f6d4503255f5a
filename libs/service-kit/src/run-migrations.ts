import { migrate, type DatabaseArea } from '@cxp/storage';
import { IsDatabaseUrl } from './settings/decorators';
import { loadSettings } from './settings/load-settings';

class MigrationSettings {
  @IsDatabaseUrl()
  DATABASE_URL: string;
}

/** All of a service's `migrate.ts`, which its image runs before a new version serves. */
export async function runMigrations(databases: readonly DatabaseArea[]): Promise<void> {
  try {
    // eslint-disable-next-line no-restricted-properties -- a process of its own, with its own settings
    const { DATABASE_URL } = loadSettings(MigrationSettings, process.env);
    for (const database of databases) {
      const migrations = await migrate(database, DATABASE_URL);
      process.stdout.write(`${JSON.stringify({ area: database.name, migrations })}\n`);
    }
  } catch (error) {
    process.stderr.write(`migrate: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
