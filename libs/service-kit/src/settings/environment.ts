import { readFileSync } from 'node:fs';

/** A setting that is missing or wrong; the message is one line that names it. */
export class SettingsError extends Error {}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process. Nothing else reads them. */
// eslint-disable-next-line no-restricted-properties
export const processEnvironment: Environment = process.env;

/**
 * One setting as it is written: the variable, or the content of the file that `<NAME>_FILE` names. An empty variable is not set.
 * @throws SettingsError when the file can't be read, and when both are set
 */
export function environmentSetting(environment: Environment, name: string): string | undefined {
  const value = environment[name] || undefined;
  const file = environment[`${name}_FILE`];
  if (!file) return value;
  if (value)
    throw new SettingsError(`bad settings: ${name} and ${name}_FILE are set: only one of them may be`);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    // Node.js adds the path, which is a secret if somebody has written the value into the wrong variable.
    const [reason] = (error as Error).message.split(',');
    throw new SettingsError(`bad settings: ${name}_FILE must name a file that can be read: ${reason}`);
  }
}
