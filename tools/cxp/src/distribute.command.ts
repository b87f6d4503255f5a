import { Command } from 'commander';
import { distribute } from '@cxp/storage';
import { areaOption, withAreas } from './migrate.command';
import { printResult } from './output';

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
