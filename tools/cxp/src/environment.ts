import { Option } from 'commander';
import { readDemoFacts, readStackEnvironment, stackDirectory } from '@cxp/local-stack/running-stack';
import type { Demo } from '@cxp/follower';
import { environmentSetting } from '@cxp/service-kit/environment';

/** The message is one line with the reason. */
export class CommandError extends Error {}

/** The command line is wrong. */
export class UsageError extends Error {}

/**
 * A variable of the environment (or the file that `<NAME>_FILE` names), else of the running local stack.
 * @throws CommandError when neither has it
 */
export function setting(name: string): string {
  const value = optionalSetting(name);
  if (!value) throw new CommandError(`${name} is not set, and no local stack is running (npm start)`);
  return value;
}

/** The same for a setting that need not be there. */
export function optionalSetting(name: string): string | undefined {
  const stack = readStackEnvironment(stackDirectory(process.env)) as Record<string, string> | undefined;
  return environmentSetting(process.env, name) || stack?.[name] || undefined;
}

/** @throws CommandError if no local stack is running */
export function runningDemo(): Demo {
  const facts = readDemoFacts(stackDirectory(process.env));
  if (facts) return facts;
  throw new CommandError('no local stack is running (npm start): give --organization, --url and --token');
}

/** `--organization`: by default the demo organization of the running local stack; required if none runs. */
export function organizationOption(description: string): Option {
  return new Option('--organization <id>', description)
    .default(readDemoFacts(stackDirectory(process.env))?.organizationId)
    .makeOptionMandatory();
}

/** The result of a command: a JSON object for programs (`--json`), a few lines for people. */
interface CommandResult {
  readonly json: object;
  /** Lines that hold data of others are given one by one: what is in them begins no other line. */
  readonly text: string | readonly string[];
}

export function printResult({ json, text }: CommandResult, asJson: boolean | undefined): void {
  const lines = typeof text === 'string' ? text.split('\n') : text;
  for (const line of asJson ? [JSON.stringify(json)] : lines) process.stdout.write(`${printable(line)}\n`);
}

/** A line without what a terminal obeys or reorders. As JSON it says the same. */
export function printable(line: string): string {
  return line.replace(
    /(?!\t)[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
