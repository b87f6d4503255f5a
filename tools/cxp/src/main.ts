import { Command, CommanderError } from 'commander';
import { violates } from '@cxp/storage';
import { accountSessionCommand } from './account-session.command';
import { importCommand } from './import.command';
import { migrateCommand } from './migrate.command';
import { organizationCommand } from './organization.command';
import { tokenCommand } from './token.command';

const FAILED = 1;
const WRONG_USAGE = 2;

/** Runs the command line. Exit status: 0 done, 1 failed (one line on standard error says why), 2 wrong usage. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command('cxp')
    .description('operates the external API: organizations, tokens, records, migrations')
    .exitOverride();
  for (const command of [
    migrateCommand(),
    organizationCommand(),
    tokenCommand(),
    accountSessionCommand(),
    importCommand(),
  ]) {
    program.addCommand(command);
  }
  inheritExitOverride(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
    } else {
      process.stderr.write(`cxp: ${reason(error)}\n`);
      process.exitCode = FAILED;
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
  const message =
    error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error);
  return message.split('\n')[0]!;
}
