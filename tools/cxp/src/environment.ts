import { Option } from 'commander';
import { type DatabaseArea, openDatabase } from '@cxp/storage';
import type { DataSource } from 'typeorm';
import { readDemoFacts } from '@cxp/local-stack/demo-facts';
import { readStackEnvironment, stackDirectory } from '@cxp/local-stack/running-stack';
import { OrganizationRepository, accessDatabase } from '@cxp/auth-headers';
import { CommandError, type Demo, UsageError } from '@cxp/follower';
import { environmentSetting } from '@cxp/service-kit/environment';

export { CommandError, UsageError };

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

/** Opens the database for as long as `use` takes. @param areas whose entities are used beside those of access */
export async function withDatabase<Result>(
  use: (dataSource: DataSource) => Promise<Result>,
  areas: readonly DatabaseArea[] = [],
): Promise<Result> {
  const dataSource = await openDatabase(setting('DATABASE_URL'), [...new Set([accessDatabase, ...areas])], {
    applicationName: 'cxp',
    poolSize: 2,
    // Behind a pooler the command before may have prepared the same statements.
    extra: { isPooled: true },
  });
  try {
    return await use(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/** @throws CommandError if there is no such organization */
export async function requireOrganization({ manager }: DataSource, id: string): Promise<void> {
  if (await new OrganizationRepository(manager).exists(id)) return;
  throw new CommandError(`there is no organization ${id}`);
}

/** The result of a command: a JSON object for programs (`--json`), a few lines for people. */
export interface CommandResult {
  readonly json: object;
  readonly text: string;
}

export function printResult({ json, text }: CommandResult, asJson: boolean | undefined): void {
  process.stdout.write(asJson ? `${JSON.stringify(json)}\n` : `${text}\n`);
}
