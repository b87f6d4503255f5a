import { readFileSync } from 'node:fs';

/** A setting that is missing or wrong; the message is one line that names it. */
export class SettingsError extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * One setting as it is written: the variable, else the content of the file that `<NAME>_FILE` names.
 * @throws SettingsError when there is no such file
 */
export function environmentSetting(environment: Environment, name: string): string | undefined {
  const file = environment[`${name}_FILE`];
  try {
    return environment[name] || (file ? readFileSync(file, 'utf8').trim() : undefined);
  } catch (error) {
    throw new SettingsError(`bad settings: ${(error as Error).message}`);
  }
}
