import { Logger } from '@nestjs/common';
import { Command, CommanderError } from 'commander';
import { followCommand } from '@cxp/follower';
import { manifestAbove } from '@cxp/service-kit/manifest';
import { violates } from '@cxp/storage';
import { accountSessionCommand } from './account-session.command';
import { edgeCheckCommand } from './edge-check.command';
import { runningDemo, UsageError } from './environment';
import { eraseCommand } from './erase.command';
import { explainCommand } from './explain.command';
import { importCommand } from './import.command';
import { migrateCommand } from './migrate.command';
import { organizationCommand } from './organization.command';
import { projectCommand } from './project.command';
import { secretsCommand } from './secrets.command';
import { tokenCommand } from './token.command';
import { undeliveredCommand } from './undelivered.command';

const FAILED = 1;
const WRONG_USAGE = 2;

/** All commands, with their options. */
export function commandLine(): Command {
  const program = new Command('cxp')
    .description('operates the external API: organizations, tokens, records, migrations')
    .version(manifestAbove(__dirname).version)
    // `follow` and `follow seal` both have --to.
    .enablePositionalOptions()
    .exitOverride();
  for (const command of [
    migrateCommand(),
    organizationCommand(),
    tokenCommand(),
    accountSessionCommand(),
    importCommand(),
    undeliveredCommand(),
    projectCommand(),
    eraseCommand(),
    explainCommand(),
    followCommand({ demo: runningDemo }),
    secretsCommand(),
    edgeCheckCommand(),
  ]) {
    program.addCommand(command);
  }
  inheritExitOverride(program);
  return program;
}

/** Runs the command line. Exit status: 0 done, 1 failed (one line on standard error says why), 2 wrong usage. */
export async function main(argv: readonly string[]): Promise<void> {
  // Standard output is for results.
  const log = (message: unknown) => void process.stderr.write(`${String(message)}\n`);
  Logger.overrideLogger({ log, warn: log, error: log });
  try {
    await commandLine().parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
    } else {
      process.stderr.write(`cxp: ${reason(error)}\n`);
      process.exitCode = error instanceof UsageError ? WRONG_USAGE : FAILED;
    }
  }
}

function inheritExitOverride(command: Command): void {
  for (const subcommand of command.commands) {
    subcommand.exitOverride();
    inheritExitOverride(subcommand);
  }
}

function reason(error: unknown): string {
  if (violates(error, 'api_token_organization_id_fkey')) return 'there is no such organization';
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: string };
  const explained = EXPLAINED[code ?? ''];
  return (explained?.(error) || error.message || String(code)).split('\n')[0]!;
}

/** Errors of Node.js and PostgreSQL whose own words do not say what to do. */
const EXPLAINED: Readonly<
  Record<string, (error: Error & { path?: string; address?: string; port?: number }) => string>
> = {
  ENOENT: ({ path }) => `there is no file ${path}`,
  EISDIR: ({ path }) => `${path ?? 'the file'} is a directory`,
  EACCES: ({ path }) => `permission denied: ${path}`,
  ECONNREFUSED: ({ message }) => `the database does not answer: is DATABASE_URL right? ${message}`,
  ENOTFOUND: ({ message }) => `the host of DATABASE_URL does not exist: ${message}`,
  '28P01': () => 'PostgreSQL refuses the password of DATABASE_URL',
  '28000': ({ message }) => `PostgreSQL refuses the user of DATABASE_URL: ${message}`,
  '3D000': ({ message }) => `${message}: is DATABASE_URL right?`,
  '42P01': () => 'the schemas are not there: run npx cxp migrate',
  '3F000': () => 'the schemas are not there: run npx cxp migrate',
  '42501': ({ message }) => `the user of DATABASE_URL has no right to do this: ${message}`,
};

// As the image of the command line runs it.
if (require.main === module) void main(process.argv);
