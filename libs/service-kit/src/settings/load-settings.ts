import { readFileSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { settingNames } from './setting-names';

/** A setting that is missing or wrong; the message is one line that names it. */
export class SettingsError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads a service's settings from environment variables of the same names, once, typed. An empty variable counts as
 * not set; `<NAME>_FILE` names a file to read the setting from, the way secrets are mounted.
 * @throws SettingsError naming every variable that is missing or wrong
 */
export function loadSettings<Settings extends object>(
  settingsClass: new () => Settings,
  environment: Environment,
): Settings {
  const given = Object.fromEntries(
    settingNames(settingsClass).flatMap((name) => {
      const value = environmentSetting(environment, name);
      return value ? [[name, value]] : [];
    }),
  );
  const settings = plainToInstance(settingsClass, given, {
    exposeDefaultValues: true,
    enableImplicitConversion: false,
  });
  const errors = validateSync(settings, { forbidUnknownValues: false });
  if (errors.length > 0) {
    const reasons = errors.map(({ constraints }) => Object.values(constraints ?? {}).join(', '));
    throw new SettingsError(`bad settings: ${reasons.join('; ')}`);
  }
  return settings;
}

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
