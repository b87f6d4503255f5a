import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from './processes';

const run = promisify(execFile);

export function findOnPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find(existsSync);
}

/**
 * Debian's package and its missing dependencies, unpacked under `.local/` on first use, without root. Of concurrent processes
 * the first one done wins.
 * @returns the folder that is their `/`
 * @throws one line with the reason
 */
export async function unpackedDebianPackage(name: string): Promise<string> {
  const unpacked = join(workspaceRoot, '.local', `debian-${name}`);
  if (existsSync(unpacked)) return unpacked;
  if (!findOnPath('apt-get') || !findOnPath('dpkg'))
    throw new Error('there is no apt-get to download it with');
  mkdirSync(join(workspaceRoot, '.local'), { recursive: true });
  const work = mkdtempSync(join(workspaceRoot, '.local/debian-download-'));
  try {
    const root = join(work, 'unpacked');
    for (const packageFile of await downloadPackages(name, work))
      await run('dpkg', ['-x', packageFile, root]);
    if (!existsSync(unpacked)) renameSync(root, unpacked);
  } catch (error) {
    if (!existsSync(unpacked)) {
      const reason = String((error as { stderr?: string }).stderr ?? error).trim();
      throw new Error(`it could not be downloaded (${reason.split('\n').at(-1)})`);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return unpacked;
}

/** `apt-get` with its state in `work`: needs no root and changes nothing outside. */
async function downloadPackages(name: string, work: string): Promise<string[]> {
  const state = join(work, 'state');
  const archives = join(work, 'cache/archives');
  for (const directory of [join(state, 'lists/partial'), join(archives, 'partial')]) {
    mkdirSync(directory, { recursive: true });
  }
  const options = [
    `Dir::State=${state}`,
    'Dir::State::status=/var/lib/dpkg/status',
    `Dir::Cache=${join(work, 'cache')}`,
    `Dir::Log=${work}`,
    'Debug::NoLocking=1',
    'APT::Sandbox::User=',
  ].flatMap((option) => ['-o', option]);
  await run('apt-get', ['-qq', ...options, 'update']);
  const download = ['install', '--yes', '--no-install-recommends', '--download-only', name];
  await run('apt-get', ['-qq', ...options, ...download]);
  return readdirSync(archives)
    .filter((file) => file.endsWith('.deb'))
    .map((file) => join(archives, file));
}

export function environmentOfUnpacked(root: string): NodeJS.ProcessEnv {
  const libraries = join(root, 'usr/lib');
  const LD_LIBRARY_PATH = readdirSync(libraries)
    .map((architecture) => join(libraries, architecture))
    .join(delimiter);
  return { ...process.env, LD_LIBRARY_PATH };
}
