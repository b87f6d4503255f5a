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

/** The `package.json` of a built project: only what its files import, in the workspace's versions. */
export async function deployablePackage(
  workspaceRoot: string,
  name: string,
  imports: readonly string[],
): Promise<Manifest & { name: string; private: true }> {
  const manifest = await readFile(join(workspaceRoot, 'package.json'), 'utf8');
  const { version, engines, ...workspace } = JSON.parse(manifest) as WorkspaceManifest;
  // A package that only the workspace's tools need is a production dependency of the command line.
  const dependencies = { ...workspace.devDependencies, ...workspace.dependencies };
  const needed = [...new Set(imports.map(packageName))]
    .filter((dependency) => dependency in dependencies)
    .sort();
  return {
    name,
    version,
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
