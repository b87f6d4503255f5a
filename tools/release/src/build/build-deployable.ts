import { copyFile, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { builtDocuments } from '@cxp/openapi/documents';
import { deployablePackage, externalImports } from './deployable-package';
import { swcTypescript } from './swc-typescript';
import { buildVendored, vendored } from './vendored-packages';

/** The programs that a project can have: what it is, and the migrations of a service. */
const ENTRIES = ['main.ts', 'migrate.ts'];

/**
 * Bundles a service or the command line, with the libs and the packages that it uses, into `dist/<project>`, one file per program, with a
 * `package.json` that names the few packages that have to be installed.
 * @param projectRoot from the workspace's root, for instance `apps/survey-api`
 */
export async function buildDeployable(projectRoot: string): Promise<void> {
  const source = join(workspaceRoot, projectRoot, 'src');
  const output = join(workspaceRoot, 'dist', projectRoot);
  const files = await readdir(source);
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const packages = new Set<string>();
  const { metafile } = await build({
    entryPoints: ENTRIES.filter((name) => files.includes(name)).map((name) => join(source, name)),
    outdir: output,
    // Its aliases are the libs.
    tsconfig: join(workspaceRoot, 'tsconfig.base.json'),
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
    // What a page brings to the browser is imported as text.
    loader: { '.css': 'text', '.client.js': 'text' },
    plugins: [swcTypescript(workspaceRoot), vendored(packages)],
  });
  const imports = [...externalImports(metafile), ...(await buildVendored(workspaceRoot, output, packages))];
  if (projectRoot.startsWith('apps/'))
    await cp(await builtDocuments(), join(output, 'docs'), { recursive: true });
  const manifest = await deployablePackage(
    workspaceRoot,
    basename(projectRoot),
    imports,
    packages,
    // docker/Dockerfile sets it: git is not there.
    process.env.COMMIT,
  );
  await writeFile(join(output, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  // `npm install` takes the versions of the workspace from it, and leaves out all others.
  await copyFile(join(workspaceRoot, 'package-lock.json'), join(output, 'package-lock.json'));
}
