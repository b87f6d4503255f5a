import { CommanderError } from 'commander';
import { UsageError } from './database';
import { followCommand } from './follow.command';

const FAILED = 1;
const WRONG_USAGE = 2;

/** Exit status: 0 done, 1 failed (one line on standard error says why), 2 wrong usage. */
async function main(argv: readonly string[]): Promise<void> {
  try {
    const command = followCommand({ name: 'cxp-follow' }).exitOverride();
    for (const subcommand of command.commands) subcommand.exitOverride();
    await command.parseAsync([...argv]);
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
      return;
    }
    const { message, code } = error as Error & { code?: string };
    process.stderr.write(`cxp-follow: ${(message || code || String(error)).split('\n')[0]}\n`);
    process.exitCode = error instanceof UsageError ? WRONG_USAGE : FAILED;
  }
}

void main(process.argv);
