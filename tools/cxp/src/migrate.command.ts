import { Command, Option } from 'commander';
import { environmentSetting } from '@cxp/service-kit/environment';
import { services } from '@cxp/areas/services';
import { migrate } from '@cxp/storage';
import { databaseUrl, logToStandardError } from './database';
import { printResult } from './environment';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schemas of all areas, or of one, up to date')
    .addOption(
      new Option('--area <area>', 'only this area').choices(['access', ...services.map(({ area }) => area)]),
    )
    .option('--json', 'print one JSON object')
    .action(async ({ area, json }: { area?: string; json?: boolean }) => {
      logToStandardError();
      const hasOwnUrl = environmentSetting(process.env, 'MIGRATION_DATABASE_URL');
      const url = databaseUrl(hasOwnUrl ? 'MIGRATION_DATABASE_URL' : 'DATABASE_URL');
      // Loaded here: it brings the code of all apps.
      const { databases } = await import('@cxp/areas/wiring');
      const migrations: Record<string, string[]> = {};
      for (const database of databases.filter(({ name }) => !area || name === area))
        migrations[database.name] = await migrate(database, url);
      const text = Object.entries(migrations)
        .map(([name, run]) => `${name}: ${run.length > 0 ? run.join(', ') : 'up to date'}`)
        .join('\n');
      printResult({ json: { migrations }, text }, json);
    });
}
