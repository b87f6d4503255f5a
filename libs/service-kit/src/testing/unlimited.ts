import type { ServiceSettings } from '..';
import { settingNames } from '../settings/load-settings';

/** Rate limits that no test reaches by accident. */
export function unlimited(settings: new () => ServiceSettings): Readonly<Record<string, string>> {
  const limits = settingNames(settings).filter((name) => /_PER_(SEC|MIN)_LIMIT$/.test(name));
  return Object.fromEntries(limits.map((name) => [name, '1000000']));
}
