import { getMetadataStorage } from 'class-validator';

/** The environment variables that a settings class reads: its properties, those of its parents included. */
export function settingNames(settingsClass: new () => object): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(settingsClass, '', true, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}
