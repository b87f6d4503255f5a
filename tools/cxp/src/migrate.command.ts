import { Command, Option } from 'commander';
import { migrate } from '@cxp/storage';
import { databases } from './areas';
import { setting } from './environment';
import { tell } from './output';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schemas of all areas, or of one, up to date')
    .addOption(new Option('--area <area>', 'only this area').choices(databases.map(({ name }) => name)))
    .option('--json', 'print one JSON object')
    .action(async ({ area, json }: { area?: string; json?: boolean }) => {
      const migrations: Record<string, string[]> = {};
      for (const database of databases.filter(({ name }) => !area || name === area)) {
        migrations[database.name] = await migrate(database, setting('DATABASE_URL'));
      }
      const text = Object.entries(migrations)
        .map(([name, run]) => `${name}: ${run.length > 0 ? run.join(', ') : 'up to date'}`)
        .join('\n');
      tell({ json: { migrations }, text }, json);
    });
}
