import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { unpackedDebianPackage, workspaceRoot } from '@cxp/testing/local-servers';

/** The libs that integrators and data teams install, and the files of each that are published. */
const PUBLISHED: readonly { lib: string; file: RegExp }[] = [
  { lib: 'client', file: /\.tgz$/ },
  { lib: 'follower', file: /\.tgz$/ },
  { lib: 'client-python', file: /\.(whl|tar\.gz)$/ },
];

/**
 * Builds what integrators and data teams install: `@cxp/client` and `@cxp/follower` as tarballs of npm, `cxp_client` as a wheel and an sdist.
 * npm checks its tarballs as if it published them.
 * @param output the directory that holds these files afterwards, and nothing else
 * @returns their paths
 * @throws if a package can't be built or published
 */
export async function makePackages(output: string): Promise<string[]> {
  const env = { ...process.env, PYTHONPATH: await pathOfPythonBuild() };
  const projects = PUBLISHED.map(({ lib }) => lib).join();
  execFileSync('npx', ['nx', 'run-many', '-t', 'build', '-p', projects], { cwd: workspaceRoot, env });
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const made = PUBLISHED.flatMap(({ lib, file }) => {
    const built = join(workspaceRoot, 'dist/libs', lib);
    const files = readdirSync(built).filter((name) => file.test(name));
    if (files.length === 0) throw new Error(`release: the build of libs/${lib} has made no package`);
    for (const name of files) copyFileSync(join(built, name), join(output, name));
    return files.map((name) => join(output, name));
  });
  const dryRun = ['publish', '--dry-run', '--loglevel=error'];
  for (const tarball of made.filter((path) => path.endsWith('.tgz')))
    execFileSync('npm', [...dryRun, tarball], { cwd: output, stdio: ['ignore', 'pipe', 'pipe'] });
  return made;
}

/** Debian's python3-build and python3-hatchling for `libs/client-python/build.sh`: unpacked if no Python of this machine has them. */
export async function pathOfPythonBuild(): Promise<string> {
  const hasBuild = (python: string) => {
    try {
      execFileSync(python, ['-c', 'import build, hatchling'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  if (['python3', '/usr/bin/python3'].some(hasBuild)) return process.env.PYTHONPATH ?? '';
  const unpacked = await Promise.all(['python3-build', 'python3-hatchling'].map(unpackedDebianPackage));
  return unpacked.map((root) => join(root, 'usr/lib/python3/dist-packages')).join(delimiter);
}
