import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { environmentSetting, SettingsError, type Environment } from './environment';

/**
 * Reads a service's settings from environment variables of the same names, once, typed. An empty variable counts as
 * not set; `<NAME>_FILE`, instead of it, names a file to read the setting from, the way secrets are mounted.
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

/** The environment variables that a settings class reads: its properties, those of its parents included. */
export function settingNames(settingsClass: new () => object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(settingsClass, '', true, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}
