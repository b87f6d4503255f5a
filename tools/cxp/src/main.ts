import { Command, CommanderError } from 'commander';
import { followCommand, UsageError as FollowUsageError } from '@cxp/follower';
import { manifestAbove } from '@cxp/service-kit/manifest';
import { printable, runningDemo, UsageError } from './environment';

const FAILED = 1;
const WRONG_USAGE = 2;

/** A command is loaded when it is called: TypeORM and Nest take longer to load than most of them to run. */
/* eslint-disable @typescript-eslint/no-require-imports */
const COMMANDS: Readonly<Record<string, () => Command>> = {
  migrate: () => (require('./migrate.command') as typeof import('./migrate.command')).migrateCommand(),
  organization: () =>
    (require('./organization.command') as typeof import('./organization.command')).organizationCommand(),
  token: () => (require('./token.command') as typeof import('./token.command')).tokenCommand(),
  'account-session': () =>
    (
      require('./account-session.command') as typeof import('./account-session.command')
    ).accountSessionCommand(),
  import: () => (require('./import.command') as typeof import('./import.command')).importCommand(),
  undelivered: () =>
    (require('./undelivered.command') as typeof import('./undelivered.command')).undeliveredCommand(),
  project: () => (require('./project.command') as typeof import('./project.command')).projectCommand(),
  erase: () => (require('./erase.command') as typeof import('./erase.command')).eraseCommand(),
  explain: () => (require('./explain.command') as typeof import('./explain.command')).explainCommand(),
  follow: () => followCommand({ demo: runningDemo }),
  secrets: () => (require('./secrets.command') as typeof import('./secrets.command')).secretsCommand(),
  'edge-check': () =>
    (require('./edge-check.command') as typeof import('./edge-check.command')).edgeCheckCommand(),
};
/* eslint-enable @typescript-eslint/no-require-imports */

/** @param called the command that is called; of anything else all are there */
export function commandLine(called = ''): Command {
  const program = new Command('cxp')
    .description('operates the external API: organizations, tokens, records, migrations')
    .version(manifestAbove(__dirname).version)
    // `follow` and `follow seal` both have --to.
    .enablePositionalOptions()
    .exitOverride();
  const isVersion = ['-V', '--version'].includes(called);
  const wanted = Object.hasOwn(COMMANDS, called) ? [called] : Object.keys(COMMANDS);
  for (const name of isVersion ? [] : wanted) program.addCommand(COMMANDS[name]!());
  inheritExitOverride(program);
  return program;
}

/** Runs the command line. Exit status: 0 done, 1 failed (one line on standard error says why), 2 wrong usage. */
export async function main(argv: readonly string[]): Promise<void> {
  try {
    await commandLine(argv[2]).parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
    } else {
      process.stderr.write(`cxp: ${printable(reason(error, argv[2]))}\n`);
      const isUsage = error instanceof UsageError || error instanceof FollowUsageError;
      process.exitCode = isUsage ? WRONG_USAGE : FAILED;
    }
  }
}

function inheritExitOverride(command: Command): void {
  for (const subcommand of command.commands) {
    subcommand.exitOverride();
    inheritExitOverride(subcommand);
  }
}

function reason(error: unknown, command?: string): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '' } = error as { code?: string };
  // The database of a copy is the client's own: `npx cxp migrate` is of no use there.
  const isOfCopy = command === 'follow';
  const explained = isOfCopy && NOT_MIGRATED.includes(code) ? undefined : EXPLAINED[code];
  const [line] = (explained?.(error) || error.message || code).split('\n');
  return isOfCopy ? line!.replace('DATABASE_URL', '--to') : line!;
}

const NOT_MIGRATED = ['42P01', '3F000'];

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
