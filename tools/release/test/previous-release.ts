import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readVersion, releases } from '../src/release';
import { workspaceRoot } from '@cxp/testing/local-servers';

const run = promisify(execFile);

/** A release's services as its own sources, packages and build make them. */
export interface BuiltRelease {
  /** Of an app: where its `main.js` and `migrate.js` are. */
  readonly directoryOf: (app: string) => string;
  readonly remove: () => void;
}

/**
 * The last release of docker/CHANGELOG.md (the commit of each has the tag `v<version>`) before what is worked on; as long as there is none,
 * that itself, as it is built.
 */
export async function buildPreviousRelease(apps: readonly string[]): Promise<BuiltRelease> {
  const previous = await previousRelease();
  if (!previous) {
    console.warn('there is no release yet: this build is compared with itself');
    return { directoryOf: (app) => join(workspaceRoot, 'dist/apps', app), remove: () => undefined };
  }
  const directory = mkdtempSync(join(tmpdir(), 'cxp-previous-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const archive = join(directory, 'sources.tar');
    await run('git', ['archive', '--output', archive, `v${previous}`], { cwd: workspaceRoot });
    await run('tar', ['-xf', archive, '-C', directory]);
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory });
    for (const app of apps) {
      await run(process.execPath, ['tools/release/bin/build.js', `apps/${app}`], { cwd: directory });
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { directoryOf: (app) => join(directory, 'dist/apps', app), remove };
}

async function previousRelease(): Promise<string | undefined> {
  // The release that is made has no tag yet, or the one of this commit.
  const older = ['tag', '--list', 'v*', '--no-contains', 'HEAD'];
  const { stdout } = await run('git', older, { cwd: workspaceRoot });
  const tags = stdout.split('\n');
  return releases()
    .filter((release) => release !== readVersion() || tags.includes(`v${release}`))
    .at(-1);
}
