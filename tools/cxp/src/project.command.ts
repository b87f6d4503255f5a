import { Command, Option } from 'commander';
import type { DataSource } from 'typeorm';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { reproject, type ReprojectionResult } from '@cxp/contact-center-export/records/projection';
import { organizationsIn } from '@cxp/storage';
import { requireOrganization, withDatabase } from './database';
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
      const result = await withDatabase(
        (dataSource) => projectOrganizations(dataSource, organization),
        [contactCenterDatabase],
      );
      const text = `${result.conversations} conversations projected, ${result.changed} have other rows than before.`;
      printResult({ json: result, text }, json);
    });
}

/** @param organization only this one; without it all that have conversations */
async function projectOrganizations(
  dataSource: DataSource,
  organization: string | undefined,
): Promise<ReprojectionResult> {
  let sum: ReprojectionResult = { conversations: 0, changed: 0 };
  for (const organizationId of await organizationsOf(dataSource, organization)) {
    const { conversations, changed } = await reproject(dataSource, organizationId);
    sum = { conversations: sum.conversations + conversations, changed: sum.changed + changed };
  }
  return sum;
}

async function organizationsOf(dataSource: DataSource, organization: string | undefined): Promise<string[]> {
  if (organization === undefined) return organizationsIn(dataSource.manager, 'contact_center.record');
  await requireOrganization(dataSource, organization);
  return [organization];
}
