import { Command, Option } from 'commander';
import { environmentSetting } from '@cxp/service-kit/environment';
import { migrate } from '@cxp/storage';
import { services } from '@cxp/services/services';
import { setting } from './environment';
import { printResult } from './output';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schemas of all areas, or of one, up to date')
    .addOption(
      new Option('--area <area>', 'only this area').choices(['access', ...services.map(({ area }) => area)]),
    )
    .option('--json', 'print one JSON object')
    .action(async ({ area, json }: { area?: string; json?: boolean }) => {
      const databaseUrl =
        environmentSetting(process.env, 'MIGRATION_DATABASE_URL') ?? setting('DATABASE_URL');
      // Loaded by the commands that need it: it brings the code of all apps.
      const { databases } = await import('@cxp/services/areas');
      const migrations: Record<string, string[]> = {};
      for (const database of databases.filter(({ name }) => !area || name === area)) {
        migrations[database.name] = await migrate(database, databaseUrl);
      }
      const text = Object.entries(migrations)
        .map(([name, run]) => `${name}: ${run.length > 0 ? run.join(', ') : 'up to date'}`)
        .join('\n');
      printResult({ json: { migrations }, text }, json);
    });
}
