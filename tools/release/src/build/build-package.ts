import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type BuildOptions } from 'esbuild';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { writeLicenses } from './licenses';

const run = promisify(execFile);

/** The modules of a package that others may import, by what they write after its name. */
const ENTRIES = { '.': 'index', './chat': 'chat' };
/** The folder of the ES modules. CommonJS is in the root, where `moduleResolution: node10` looks. */
const ESM = 'esm';

/**
 * Builds a lib that is published: CommonJS and ES modules for Node.js and browsers, with types for both, README and manifest, in
 * `dist/<project>`, and the tarball of all that.
 * @param projectRoot from the workspace's root, for instance `libs/client`
 */
export async function buildPackage(projectRoot: string): Promise<void> {
  const source = join(workspaceRoot, projectRoot);
  const output = join(workspaceRoot, 'dist', projectRoot);
  await rm(output, { recursive: true, force: true });
  await mkdir(join(output, ESM), { recursive: true });
  const options: BuildOptions = {
    platform: 'neutral',
    target: 'es2022',
    keepNames: true,
    sourcemap: true,
    logLevel: 'warning',
  };
  await build({
    ...options,
    entryPoints: Object.values(ENTRIES).map((name) => join(source, 'src', `${name}.ts`)),
    outdir: join(output, ESM),
    bundle: true,
    splitting: true,
    format: 'esm',
  });
  // A file for each module: bundles of CommonJS can't share what two entries import, and each would have error classes of its own.
  await build({ ...options, entryPoints: [join(source, 'src/**/*.ts')], outdir: output, format: 'cjs' });
  await writeTypes(source, output);
  await writeFile(join(output, ESM, 'package.json'), '{ "type": "module", "sideEffects": false }\n');
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as object;
  const exported = Object.entries(ENTRIES).map(([path, name]) => [
    path,
    {
      // What `import` and `require` of Node.js share, so that there is one class of each error.
      'module-sync': { types: `./${ESM}/${name}.d.ts`, default: `./${ESM}/${name}.js` },
      import: { types: `./${ESM}/${name}.d.ts`, default: `./${ESM}/${name}.js` },
      require: { types: `./${name}.d.ts`, default: `./${name}.js` },
    },
  ]);
  const built = {
    ...manifest,
    main: `./${ENTRIES['.']}.js`,
    types: `./${ENTRIES['.']}.d.ts`,
    exports: Object.fromEntries(exported) as object,
  };
  await writeFile(join(output, 'package.json'), `${JSON.stringify(built, null, 2)}\n`);
  await pack(source, output);
}

/** Declarations as `tsconfig.package.json` sets them; those of ES modules with the file endings that their imports need. */
async function writeTypes(source: string, output: string): Promise<void> {
  const tsc = join(workspaceRoot, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', join(source, 'tsconfig.package.json'), '--outDir', output]);
  const files = await readdir(output, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
    const copy = join(output, ESM, file);
    await cp(join(output, file), copy);
    const text = await readFile(copy, 'utf8');
    await writeFile(copy, text.replaceAll(/(from |import\()(['"])(\.{1,2}\/[^'"]+)\2/g, '$1$2$3.js$2'));
  }
}

/** The tarball of what was built. */
async function pack(source: string, output: string): Promise<void> {
  for (const name of ['README.md', 'LICENSE']) await copyFile(join(source, name), join(output, name));
  await run('npm', ['pack', '--loglevel=error'], { cwd: output });
}

/**
 * Bundles a lib that is published as a program: one file with all that it imports but its peers, the licences of
 * that, README and manifest, in `dist/<project>`,
 * and the tarball of all that.
 * @param projectRoot from the workspace's root, for instance `libs/follower`
 */
export async function buildProgram(projectRoot: string): Promise<void> {
  const source = join(workspaceRoot, projectRoot);
  const output = join(workspaceRoot, 'dist', projectRoot);
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const { metafile } = await build({
    entryPoints: [join(source, 'src/main.ts')],
    outfile: join(output, 'main.js'),
    tsconfig: join(workspaceRoot, 'tsconfig.base.json'),
    banner: { js: '#!/usr/bin/env node' },
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    metafile: true,
    logLevel: 'warning',
  });
  await writeLicenses(workspaceRoot, join(output, 'licenses.txt'), Object.keys(metafile.inputs));
  await copyFile(join(source, 'package.json'), join(output, 'package.json'));
  await pack(source, output);
}
