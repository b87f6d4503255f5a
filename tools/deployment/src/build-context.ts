import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import dockerIgnore from '@balena/dockerignore';
import { workspaceRoot } from '@cxp/local-servers';

/** The files that `docker build .` sends to the engine: the workspace's own, without what .dockerignore names. */
export function buildContextFiles(): string[] {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const files = execFileSync('git', list, { cwd: workspaceRoot, encoding: 'utf8' }).split('\0');
  const ignored = readFileSync(join(workspaceRoot, '.dockerignore'), 'utf8');
  // Git also lists what was deleted a moment ago.
  const there = files.filter((file) => file && existsSync(join(workspaceRoot, file)));
  return dockerIgnore().add(ignored).filter(there);
}

/** Copies those of the build context's files that are at `path`, or below it, into `directory`. */
export function copyFromBuildContext(path: string, directory: string): void {
  const below = path === '.' ? '' : `${path}/`;
  const files = buildContextFiles().filter((file) => file === path || file.startsWith(below));
  if (files.length === 0) throw new Error(`COPY ${path}: nothing there`);
  for (const file of files) {
    const target = join(directory, file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(workspaceRoot, file), target);
  }
}
