import { Command } from 'commander';
import { ApiTokenRepository, type ApiToken, type Permission } from '@cxp/access';
import { parseDuration } from './durations';
import { checkToken } from './check-token';
import { CommandError, withDatabase } from './environment';
import { printResult } from './output';
import {
  chosenPermissions,
  permissionOption,
  permissionsHelp,
  type PermissionOptions,
} from './permission.option';

interface CreateOptions extends PermissionOptions {
  readonly organization: string;
  readonly name: string;
  readonly expiresIn?: number;
  readonly json?: boolean;
}

interface CheckOptions {
  readonly token: string;
  readonly organization: string;
  readonly permission?: Permission[];
  readonly json?: boolean;
}

export function tokenCommand(): Command {
  const command = new Command('token').description('API tokens of an organization');
  command
    .command('create')
    .description('create a token and print it, once')
    .requiredOption('--organization <id>', 'the organization that it belongs to')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(permissionOption())
    .option('--all-permissions', 'every permission there is')
    .option('--expires-in <duration>', 'for instance 90d; it does not expire otherwise', parseDuration)
    .option('--json', 'print one JSON object')
    .addHelpText('after', permissionsHelp())
    .action(async (options: CreateOptions) => {
      const issued = await withRepository((tokens) =>
        tokens.issue({
          organizationId: options.organization,
          name: options.name,
          permissions: chosenPermissions(options),
          lifetimeSeconds: options.expiresIn ?? null,
        }),
      );
      printResult(
        { json: issued, text: `${issued.token}\nThis is the only time it is shown (id ${issued.id}).` },
        options.json,
      );
    });
  command
    .command('list')
    .description('list the tokens of an organization')
    .requiredOption('--organization <id>', 'the organization')
    .option('--json', 'print one JSON object')
    .action(async ({ organization, json }: { organization: string; json?: boolean }) => {
      const tokens = await withRepository((repository) => repository.list(organization));
      printResult({ json: { tokens }, text: tokens.map(describe).join('\n') || 'No tokens.' }, json);
    });
  command
    .command('revoke')
    .description('revoke a token; every service refuses it within 5 seconds')
    .requiredOption('--id <token id>', 'its id, not the token itself')
    .option('--json', 'print one JSON object')
    .action(async ({ id, json }: { id: string; json?: boolean }) => {
      const known = await withRepository((repository) => repository.revoke(id));
      if (!known) throw new CommandError(`there is no token ${id}`);
      printResult({ json: { id, revoked: true }, text: `Revoked token ${id}.` }, json);
    });
  command
    .command('check')
    .description('find out why the API refuses a token: the API itself answers every 401 alike')
    .requiredOption('--token <token>', 'the token')
    .requiredOption('--organization <id>', 'the organization-id header that is sent with it')
    .addOption(permissionOption())
    .option('--json', 'print one JSON object')
    .addHelpText('after', permissionsHelp())
    .action(async ({ token, organization, json, ...chosen }: CheckOptions) => {
      const check = await withRepository((tokens) =>
        checkToken(tokens, token, organization, chosen.permission ?? []),
      );
      if (json || check.valid) {
        printResult({ json: check, text: `The token is valid: ${describe(check.token!)}` }, json);
      }
      if (!check.valid) throw new CommandError(check.problems.join('; '));
    });
  return command;
}

function withRepository<Result>(use: (repository: ApiTokenRepository) => Promise<Result>): Promise<Result> {
  return withDatabase((dataSource) => use(new ApiTokenRepository(dataSource.manager)));
}

function describe({ id, name, permissions, expiresAt, revokedAt }: ApiToken): string {
  const state = revokedAt
    ? `revoked ${revokedAt.toISOString()}`
    : expiresAt
      ? `expires ${expiresAt.toISOString()}`
      : 'does not expire';
  const written = Object.entries(permissions).flatMap(([resource, actions]) =>
    actions.map((action) => `${resource}:${action}`),
  );
  return `${id}  ${name}  ${state}  ${written.join(' ') || 'no permissions'}`;
}
