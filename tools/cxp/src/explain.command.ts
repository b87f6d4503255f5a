import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { CommandError, withDatabase } from './environment';
import { timelineOf } from './explanation-timeline';
import { printResult } from './output';

interface ExplainOptions {
  readonly organization: string;
  readonly timezone: string;
  readonly schedule?: string;
  readonly json?: boolean;
}

export function explainCommand(): Command {
  return new Command('explain')
    .description('show why each figure of the rows of a conversation is what it is, as a timeline')
    .argument('<conversation>', 'its id')
    .requiredOption('--organization <id>', 'the organization of the conversation')
    .option('--timezone <name>', 'in which business hours are read', 'Asia/Singapore')
    .option('--schedule <file>', 'a human schedule (JSON) in place of the stored one')
    .option('--json', 'print one JSON object')
    .action(async (conversation: string, { schedule: file, json, ...options }: ExplainOptions) => {
      const schedule = file === undefined ? undefined : await readSchedule(file);
      // Loaded by the command that needs it: it brings the code of an app.
      const { explainConversation } = await import('@cxp/cxp/explain-conversation');
      const explained = { ...options, conversation, schedule };
      const explanation = await withDatabase((dataSource) => explainConversation(dataSource, explained));
      const text = timelineOf(explanation, { color: process.stdout.isTTY });
      printResult({ json: explanation, text }, json);
    });
}

async function readSchedule(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandError(`${file} is no JSON`);
  }
}
