import { Command } from 'commander';
import { nullable, numberColumn, textColumn, timeColumn, UnscopedStatement } from '@cxp/storage';
import { withDatabase } from './database';
import { printResult } from './environment';

interface UndeliveredOptions {
  readonly organization?: string;
  readonly json?: boolean;
}

/** Conversations that a list shows: those that wait longest. */
const MAX_LISTED = 1_000;

/** `$organization`: NULL for all. */
const OF_ORGANIZATION = '($organization IS NULL OR organization_id = $organization)';

const COUNT = new UnscopedStatement(
  { organization: 'text | null' },
  { total: numberColumn('count(*)') },
  (list) => `SELECT ${list} FROM webchat.undelivered WHERE ${OF_ORGANIZATION}`,
);

const LIST = new UnscopedStatement(
  { organization: 'text | null' },
  {
    organization: textColumn('organization_id'),
    conversationId: textColumn('conversation_id'),
    attempts: numberColumn('attempts'),
    nextAttemptAt: timeColumn('next_attempt_at'),
    lastError: nullable(textColumn('last_error')),
  },
  (list) => `
  SELECT ${list} FROM webchat.undelivered WHERE ${OF_ORGANIZATION}
  ORDER BY since, undelivered.organization_id, undelivered.conversation_id LIMIT ${MAX_LISTED}`,
);

const RETRY = new UnscopedStatement(
  { organization: 'text | null' },
  {},
  `UPDATE webchat.undelivered SET next_attempt_at = now() WHERE ${OF_ORGANIZATION} AND attempts > 0`,
);

export function undeliveredCommand(): Command {
  const command = new Command('undelivered').description(
    'conversations of which the export does not have everything yet',
  );
  command.addCommand(
    withOptions(new Command('list'), `show them with the last error of each: the first ${MAX_LISTED}`).action(
      async ({ organization = null, json }: Nullable<UndeliveredOptions>) => {
        const result = await withDatabase(async ({ manager }) => ({
          ...(await COUNT.first(manager, { organization }))!,
          undelivered: await LIST.run(manager, { organization }),
        }));
        const lines = result.undelivered.map(
          ({ organization, conversationId, attempts, nextAttemptAt, lastError }) =>
            [organization, conversationId, attempts, nextAttemptAt.toISOString(), lastError ?? ''].join('\t'),
        );
        const rest = result.total - lines.length;
        const text = [...lines, rest > 0 ? `and ${rest} more` : `${result.total} undelivered`];
        printResult({ json: result, text }, json);
      },
    ),
  );
  command.addCommand(
    withOptions(new Command('retry'), 'have those that failed sent now').action(
      async ({ organization = null, json }: Nullable<UndeliveredOptions>) => {
        const retried = await withDatabase(({ manager }) => RETRY.count(manager, { organization }));
        printResult({ json: { retried }, text: `${retried} are sent again now.` }, json);
      },
    ),
  );
  return command;
}

type Nullable<Options extends UndeliveredOptions> = Omit<Options, 'organization'> & {
  readonly organization?: string | null;
};

function withOptions(command: Command, description: string): Command {
  return command
    .description(description)
    .option('--organization <id>', 'only those of this organization')
    .option('--json', 'print one JSON object');
}
