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

/** Packages that another one loads by name when it finds it: an import of the first brings the second. */
const LOADED_BY_NAME: Readonly<Record<string, readonly string[]>> = {
  typeorm: ['pg'],
  '@nestjs/common': ['reflect-metadata', 'rxjs', 'class-validator', 'class-transformer'],
  '@nestjs/swagger': ['@fastify/static'],
};

/** The `package.json` of a built project: only what its bundle imports, in the workspace's versions. */
export async function deployablePackage(
  workspaceRoot: string,
  name: string,
  metafile: Metafile,
): Promise<Manifest & { name: string; private: true }> {
  const { version, engines, ...workspace } = JSON.parse(
    await readFile(join(workspaceRoot, 'package.json'), 'utf8'),
  ) as WorkspaceManifest;
  // What only the workspace's tools need is a production dependency of a tool.
  const versions = { ...workspace.devDependencies, ...workspace.dependencies };
  const imported = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external }) => external)
    .map(({ path }) => packageName(path))
    .flatMap((imported) => [imported, ...(LOADED_BY_NAME[imported] ?? [])]);
  const needed = [...new Set(imported)].filter((dependency) => dependency in versions).sort();
  return {
    name,
    version,
    private: true,
    engines,
    dependencies: Object.fromEntries(needed.map((dependency) => [dependency, versions[dependency]!])),
  };
}

function packageName(path: string): string {
  if (path.startsWith('node:') || builtinModules.includes(path)) return '';
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}
