import { Command, Option } from 'commander';
import { environmentSetting } from '@cxp/service-kit/environment';
import { services } from '@cxp/system-tests/services';
import { type DatabaseArea, distribute, migrate } from '@cxp/storage';
import { printResult, setting } from './environment';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('bring the schemas of all areas, or of one, up to date')
    .addOption(areaOption())
    .option('--json', 'print one JSON object')
    .action(async ({ area, json }: { area?: string; json?: boolean }) => {
      const migrations: Record<string, string[]> = {};
      await withAreas(area, async (database, url) => {
        migrations[database.name] = await migrate(database, url);
      });
      const text = Object.entries(migrations)
        .map(([name, run]) => `${name}: ${run.length > 0 ? run.join(', ') : 'up to date'}`)
        .join('\n');
      printResult({ json: { migrations }, text }, json);
    });
}

export function areaOption(): Option {
  return new Option('--area <area>', 'only this area').choices([
    'access',
    ...services.map(({ area }) => area),
  ]);
}

/** Calls back with each area, or the one of this name, in the order in which they are migrated, and the URL of who owns its tables. */
export async function withAreas(
  area: string | undefined,
  use: (database: DatabaseArea, databaseUrl: string) => Promise<void>,
): Promise<void> {
  const databaseUrl = environmentSetting(process.env, 'MIGRATION_DATABASE_URL') ?? setting('DATABASE_URL');
  // Loaded by the commands that need it: it brings the code of all apps.
  const { databases } = await import('@cxp/system-tests/areas');
  for (const database of databases.filter(({ name }) => !area || name === area)) {
    await use(database, databaseUrl);
  }
}

export function distributeCommand(): Command {
  return new Command('distribute')
    .description('spread the tables of all areas, or of one, over the workers of a Citus cluster')
    .addOption(areaOption())
    .option('--json', 'print one JSON object')
    .action(async ({ area, json }: { area?: string; json?: boolean }) => {
      const lines: string[] = [];
      await withAreas(area, async (database, url) => void lines.push(...(await distribute(database, url))));
      printResult({ json: { distribution: lines }, text: lines.join('\n') }, json);
    });
}
