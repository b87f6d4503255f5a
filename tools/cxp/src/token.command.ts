import { Command } from 'commander';
import {
  allows,
  type ApiToken,
  ApiTokenRepository,
  hashApiToken,
  type IssuedApiToken,
  isWellFormedApiToken,
  type Permission,
} from '@cxp/auth-headers';
import {
  allPermissionsOption,
  chosenPermissions,
  parseDuration,
  permissionOption,
  type PermissionOptions,
  permissionsHelp,
} from './credential-options';
import { violates } from '@cxp/storage';
import { requireOrganization, withDatabase } from './database';
import { CommandError, organizationOption, printResult, UsageError } from './environment';

/** How long the old token of a rotation is valid: a day for bringing the new one into use. */
const DEFAULT_OVERLAP_SECONDS = 86_400;

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
    .addOption(organizationOption('the organization that it belongs to'))
    .requiredOption('--name <name>', 'what it is for')
    .addOption(permissionOption())
    .addOption(allPermissionsOption())
    .option(
      '--platform',
      'allow internal permissions in --permission; without --permission, give all of them',
    )
    .option('--expires-in <duration>', 'for instance 90d; it does not expire otherwise', parseDuration)
    .option('--json', 'print one JSON object')
    .addHelpText('after', permissionsHelp())
    .action(async (options: CreateOptions) => {
      const permissions = chosenPermissions(options);
      if (Object.keys(permissions).length === 0) {
        throw new UsageError('a token needs a permission: --permission, --all-permissions or --platform');
      }
      const issued = await withRepository(async (tokens) => {
        const token = {
          organizationId: options.organization,
          name: options.name,
          permissions,
          lifetimeSeconds: options.expiresIn ?? null,
        };
        return tokens.issue(token).catch((error: unknown) => {
          if (!violates(error, 'api_token_organization_id_fkey')) throw error;
          throw new CommandError('there is no such organization');
        });
      });
      printIssued(issued, options.json);
    });
  command
    .command('rotate')
    .description('print a new token with the same permissions; the old one ends after the overlap')
    .requiredOption('--id <token id>', 'the id of the old one')
    .option('--overlap <duration>', 'how long both are valid', parseDuration, DEFAULT_OVERLAP_SECONDS)
    .option('--json', 'print one JSON object')
    .action(async ({ id, overlap, json }: { id: string; overlap: number; json?: boolean }) => {
      const issued = await withRepository(
        async (tokens) => (await tokens.rotate(id, overlap)) ?? whyNot(id, await tokens.find(id)),
      );
      if (typeof issued === 'string') throw new CommandError(issued);
      printIssued(issued, json);
    });
  command
    .command('list')
    .description('list the tokens of an organization')
    .addOption(organizationOption('the organization'))
    .option('--json', 'print one JSON object')
    .action(async ({ organization, json }: { organization: string; json?: boolean }) => {
      const tokens = await withDatabase(async (dataSource) => {
        await requireOrganization(dataSource, organization);
        return new ApiTokenRepository(dataSource.manager).list(organization);
      });
      printResult({ json: { tokens }, text: tokens.length > 0 ? tokens.map(describe) : 'No tokens.' }, json);
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
    .description('find out why the API refuses a token: the API names one reason (X-Error-Code), this all')
    .requiredOption('--token <token>', 'the token')
    .addOption(organizationOption('the organization-id header that is sent with it'))
    .addOption(permissionOption())
    .option('--json', 'print one JSON object')
    .addHelpText('after', permissionsHelp())
    .action(async ({ token, organization, json, ...chosen }: CheckOptions) => {
      const check = await withRepository((tokens) =>
        checkToken(tokens, token, organization, chosen.permission ?? []),
      );
      const text = check.valid ? [`The token is valid: ${describe(check.token!)}`] : [];
      if (json || check.valid) printResult({ json: check, text }, json);
      if (!check.valid) throw new CommandError(check.problems.join('; '));
    });
  return command;
}

function withRepository<Result>(use: (repository: ApiTokenRepository) => Promise<Result>): Promise<Result> {
  return withDatabase((dataSource) => use(new ApiTokenRepository(dataSource.manager)));
}

function printIssued(issued: IssuedApiToken, json: boolean | undefined): void {
  const text = `${issued.token}\nThis is the only time it is shown (id ${issued.id}).`;
  printResult({ json: issued, text }, json);
}

/** Why a token can't be rotated. */
function whyNot(id: string, token: ApiToken | null): string {
  if (!token) return `there is no token ${id}`;
  if (token.replacedBy) return `token ${id} was replaced before: rotate ${token.replacedBy}`;
  return `token ${id} has ended: create a new one`;
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

interface TokenCheck {
  readonly valid: boolean;
  /** Everything that is wrong, in a sentence each. */
  readonly problems: readonly string[];
  /** Null if no token of the platform was given. */
  readonly token: ApiToken | null;
}

/** Checks what a service checks, and says what it does not say. */
async function checkToken(
  tokens: ApiTokenRepository,
  token: string,
  organizationId: string,
  permissions: readonly Permission[],
): Promise<TokenCheck> {
  if (!isWellFormedApiToken(token)) return failed(malformed(token));
  const known = await tokens.findByHash(hashApiToken(token));
  const found = known && (await tokens.find(known.id));
  if (!found) return failed('there is no such token in this database');
  const { expiresAt, revokedAt } = found;
  const problems = [
    found.organizationId !== organizationId &&
      `the token belongs to organization ${found.organizationId}, not to ${organizationId}`,
    revokedAt !== null && `the token was revoked at ${revokedAt.toISOString()}`,
    expiresAt !== null &&
      expiresAt.getTime() <= Date.now() &&
      `the token expired at ${expiresAt.toISOString()}`,
    ...permissions
      .filter((permission) => !allows(found.permissions, permission))
      .map((permission) => `the token does not have the permission ${permission}`),
  ].filter((problem) => problem !== false);
  return { valid: problems.length === 0, problems, token: found };
}

function failed(problem: string): TokenCheck {
  return { valid: false, problems: [problem], token: null };
}

function malformed(token: string): string {
  if (/^bearer\s/i.test(token)) return 'this is a whole header: give the token without "Bearer"';
  if (token.startsWith('eyJ')) return 'this is a JWT, no API token: send it with auth-type: account';
  if (!token.startsWith('cxp_')) return 'this is no API token: those begin with cxp_';
  return 'the token is not complete, or a character of it is wrong: its checksum does not fit';
}
