import { Command, Option } from 'commander';
import { withDatabase } from './database';
import { printResult } from './environment';

interface ProjectOptions {
  readonly organization?: string;
  readonly json?: boolean;
}

export function projectCommand(): Command {
  return new Command('project')
    .description('derive all rows of the export again from their records, while the service runs')
    .addOption(
      new Option('--area <area>', 'the area of the export')
        .choices(['contact-center'])
        .default('contact-center'),
    )
    .option('--organization <id>', 'only this organization')
    .option('--json', 'print one JSON object')
    .action(async ({ organization, json }: ProjectOptions) => {
      // Loaded by the command that needs it: it brings the code of an app.
      const { contactCenterDatabase, projectOrganizations } = await import('@cxp/cxp/project-organizations');
      const result = await withDatabase(
        (dataSource) => projectOrganizations(dataSource, organization),
        [contactCenterDatabase],
      );
      const text = `${result.conversations} conversations projected, ${result.changed} have other rows than before.`;
      printResult({ json: result, text }, json);
    });
}
