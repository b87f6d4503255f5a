import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { writeLicenses } from './licenses';

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
  for (const name of ['README.md', 'LICENSE', 'package.json'])
    await copyFile(join(source, name), join(output, name));
  await promisify(execFile)('npm', ['pack', '--loglevel=error'], { cwd: output });
}
