import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Puts a `package-lock.json` beside a built project's `package.json`: the workspace's, pruned by npm itself to what that
 * one names. An installation from it (`npm ci --omit=dev`) has the packages that the workspace was tested with.
 * Needs no network, because the workspace's lock file has all that is needed.
 */
export async function pruneLockFile(workspaceRoot: string, output: string): Promise<void> {
  await copyFile(join(workspaceRoot, 'package-lock.json'), join(output, 'package-lock.json'));
  const flags = ['--package-lock-only', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', ['install', ...flags, '--prefix', output], { cwd: output });
}
