import { Command, InvalidArgumentError } from 'commander';
import { OrganizationRepository } from '@cxp/auth-headers';
import { withDatabase } from './database';
import { printResult } from './environment';

export function organizationCommand(): Command {
  const command = new Command('organization').description('organizations that use the API');
  command
    .command('create')
    .description('create an organization; one that exists stays as it is')
    .requiredOption('--id <id>', 'its identifier, the organization-id header', parseOrganizationId)
    .requiredOption('--name <name>', 'its name')
    .option('--json', 'print one JSON object')
    .action(async ({ id, name, json }: { id: string; name: string; json?: boolean }) => {
      const created = await withDatabase((dataSource) =>
        new OrganizationRepository(dataSource.manager).create({ id, name }),
      );
      const text = created ? `Created organization ${id}.` : `Organization ${id} exists already.`;
      printResult({ json: { id, created }, text }, json);
    });
  command
    .command('list')
    .description('list all organizations')
    .option('--json', 'print one JSON object')
    .action(async ({ json }: { json?: boolean }) => {
      const organizations = await withDatabase((dataSource) =>
        new OrganizationRepository(dataSource.manager).list(),
      );
      const lines = organizations.map(({ id, name }) => `${id}  ${name}`);
      printResult({ json: { organizations }, text: lines.length > 0 ? lines : 'No organizations.' }, json);
    });
  return command;
}

/** An id travels in a header and in Redis keys, where braces have a meaning. */
function parseOrganizationId(id: string): string {
  if (!/^[!-z|~]{1,255}$/.test(id)) {
    throw new InvalidArgumentError('ids are 1 to 255 printable ASCII characters without spaces and braces.');
  }
  return id;
}
