import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { workspaceRoot } from '@cxp/testing';
import { deployablePackage } from './deployable-package';
import { pruneLockFile } from './prune-lock-file';
import { swcTypescript } from './swc-typescript';

/** What a project's output starts from: services and commands have a `main`, libs an `index`. */
const ENTRIES = ['main.ts', 'migrate.ts', 'index.ts'];

/**
 * Bundles a project's own code and that of the libs it uses into `dist/<project>`, one file per entry, with a
 * `package.json` that names exactly the packages that it imports, and the lock file to install them by.
 * @param projectRoot from the workspace's root, for instance `apps/survey-api`
 */
export async function buildProject(projectRoot: string): Promise<void> {
  const source = join(workspaceRoot, projectRoot, 'src');
  const output = join(workspaceRoot, 'dist', projectRoot);
  const files = (await readdir(source)).filter((name) => /(?<!\.spec)\.ts$/.test(name));
  const named = files.filter((name) => ENTRIES.includes(name));
  const entryPoints = (named.length > 0 ? named : files).map((name) => join(source, name));

  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const { metafile } = await build({
    entryPoints,
    outdir: output,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    packages: 'external',
    sourcemap: true,
    keepNames: true,
    metafile: true,
    logLevel: 'warning',
    plugins: [swcTypescript(workspaceRoot)],
  });
  const manifest = await deployablePackage(workspaceRoot, basename(projectRoot), metafile);
  await writeFile(join(output, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await pruneLockFile(workspaceRoot, output);
}
