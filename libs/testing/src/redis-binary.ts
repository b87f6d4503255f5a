import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from './workspace-root';

const run = promisify(execFile);
const UNPACKED = join(workspaceRoot, '.local/redis-binaries');
const HOW_TO_INSTALL = 'install redis-server or valkey-server (apt install redis-server, brew install redis)';

export interface RedisBinary {
  path: string;
  env: NodeJS.ProcessEnv;
}

/**
 * The Redis or Valkey on the PATH, else Debian's, unpacked under `.local/` on first use: nothing is installed on the system.
 * @throws one line that says how to install it
 */
export async function redisBinary(): Promise<RedisBinary> {
  const path = findOnPath('redis-server') ?? findOnPath('valkey-server');
  if (path) return { path, env: process.env };
  if (!existsSync(UNPACKED)) await unpackDebianPackages();
  const libraries = join(UNPACKED, 'usr/lib');
  const LD_LIBRARY_PATH = readdirSync(libraries)
    .map((architecture) => join(libraries, architecture))
    .join(delimiter);
  return { path: join(UNPACKED, 'usr/bin/redis-server'), env: { ...process.env, LD_LIBRARY_PATH } };
}

function findOnPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find(existsSync);
}

/** Processes that do this at the same time don't collide: each works in a folder of its own, and the first one done wins. */
async function unpackDebianPackages(): Promise<void> {
  if (!findOnPath('apt-get') || !findOnPath('dpkg')) throw new Error(`Redis is missing: ${HOW_TO_INSTALL}`);
  mkdirSync(join(workspaceRoot, '.local'), { recursive: true });
  const work = mkdtempSync(join(workspaceRoot, '.local/redis-download-'));
  try {
    const unpacked = join(work, 'unpacked');
    for (const packageFile of await downloadPackages(work)) await run('dpkg', ['-x', packageFile, unpacked]);
    if (!existsSync(UNPACKED)) renameSync(unpacked, UNPACKED);
  } catch (error) {
    if (!existsSync(UNPACKED)) {
      const reason = String((error as { stderr?: string }).stderr ?? error).trim();
      throw new Error(
        `Redis is missing and could not be downloaded (${reason.split('\n').at(-1)}): ${HOW_TO_INSTALL}`,
      );
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** `apt-get` with its state in `work`: needs no root and changes nothing outside. */
async function downloadPackages(work: string): Promise<string[]> {
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
  await run('apt-get', [
    '-qq',
    ...options,
    'install',
    '--yes',
    '--no-install-recommends',
    '--download-only',
    'redis-server',
  ]);
  return readdirSync(archives)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(archives, name));
}
