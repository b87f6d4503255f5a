import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { workspaceRoot } from '@cxp/local-servers';

/** The modules of a package that others may import, by what they write after its name. */
const ENTRIES = { '.': 'index', './chat': 'chat' };

/**
 * Builds a lib that is published: ES modules for Node.js and browsers, types, README and manifest, in `dist/<project>`.
 * @param projectRoot from the workspace's root, for instance `libs/client`
 */
export async function buildPackage(projectRoot: string): Promise<void> {
  const source = join(workspaceRoot, projectRoot);
  const output = join(workspaceRoot, 'dist', projectRoot);
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  await build({
    entryPoints: Object.values(ENTRIES).map((name) => join(source, 'src', `${name}.ts`)),
    outdir: output,
    bundle: true,
    splitting: true,
    platform: 'neutral',
    target: 'es2022',
    format: 'esm',
    keepNames: true,
    sourcemap: true,
    logLevel: 'warning',
  });
  await writeTypes(source, output);
  await copyFile(join(source, 'README.md'), join(output, 'README.md'));
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as object;
  const exported = Object.entries(ENTRIES).map(([path, name]) => [
    path,
    { types: `./types/${name}.d.ts`, default: `./${name}.js` },
  ]);
  const built = { ...manifest, type: 'module', exports: Object.fromEntries(exported) as object };
  await writeFile(join(output, 'package.json'), `${JSON.stringify(built, null, 2)}\n`);
}

/** Declarations as `tsconfig.package.json` sets them, with the file endings that ES modules need in their imports. */
async function writeTypes(source: string, output: string): Promise<void> {
  const types = join(output, 'types');
  const tsc = join(workspaceRoot, 'node_modules/typescript/bin/tsc');
  const project = join(source, 'tsconfig.package.json');
  await promisify(execFile)(process.execPath, [tsc, '-p', project, '--outDir', types]);
  for (const file of await readdir(types, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(types, file);
    const text = await readFile(path, 'utf8');
    await writeFile(path, text.replaceAll(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\2/g, '$1$2$3.js$2'));
  }
}
