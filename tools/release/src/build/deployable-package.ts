import { readFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

interface Manifest {
  readonly version: string;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
}

interface WorkspaceManifest extends Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

/**
 * The `package.json` of a built project: only what its files import, in the workspace's versions.
 * @param bundled packages that are part of its files
 * @param commit of the sources
 * @throws if an import is a development dependency: the audit of dependencies does not look at those
 */
export async function deployablePackage(
  workspaceRoot: string,
  name: string,
  imports: readonly string[],
  bundled: Iterable<string>,
  commit?: string,
): Promise<Manifest & { name: string; commit?: string; private: true }> {
  const manifest = await readFile(join(workspaceRoot, 'package.json'), 'utf8');
  const { version, engines, dependencies, devDependencies } = JSON.parse(manifest) as WorkspaceManifest;
  const unaudited = [...imports, ...bundled].map(packageName).filter((used) => used in devDependencies);
  if (unaudited.length > 0)
    throw new Error(`${name} deploys development dependencies: ${unaudited.join(', ')}`);
  const needed = [...new Set(imports.map(packageName))]
    .filter((dependency) => dependency in dependencies)
    .sort();
  return {
    name,
    version,
    ...(commit && { commit }),
    private: true,
    engines,
    dependencies: Object.fromEntries(needed.map((dependency) => [dependency, dependencies[dependency]!])),
  };
}

/** What the files of a build import at run time. */
export function externalImports({ outputs }: Metafile): string[] {
  return Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external }) => external)
    .map(({ path }) => path);
}

function packageName(path: string): string {
  if (path.startsWith('node:') || builtinModules.includes(path)) return '';
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}
