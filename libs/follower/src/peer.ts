import { CommandError } from './errors';

/**
 * Loads an optional package.
 * @throws CommandError if it is not installed
 */
export async function peer<Module>(name: string, neededFor: string): Promise<Module> {
  try {
    const imported = (await import(name)) as Module & { readonly default?: Module };
    return imported.default ?? imported;
  } catch (error) {
    if (!/NOT_FOUND/.test((error as { code?: string }).code ?? '')) throw error;
    throw new CommandError(`${neededFor} needs the package ${name}: npm install ${name}`);
  }
}
