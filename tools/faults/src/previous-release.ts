import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/local-servers';

const run = promisify(execFile);

/** The release before this one, as a commit; a tag takes its place once there are any. */
const PREVIOUS_RELEASE = '53951eedefd45f2768a1a739064bfbea17bd15c3';

/** A release's services as its own sources, packages and build make them. */
export interface BuiltRelease {
  /** Of an app: where its `main.js` and `migrate.js` are. */
  readonly directoryOf: (app: string) => string;
  readonly remove: () => void;
}

/** @returns undefined, and prints why, when the history of this checkout does not hold the release */
export async function buildPreviousRelease(apps: readonly string[]): Promise<BuiltRelease | undefined> {
  const git = (...parameters: string[]) => run('git', parameters, { cwd: workspaceRoot });
  const isThere = await git('cat-file', '-e', `${PREVIOUS_RELEASE}^{commit}`).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    console.warn(
      `Skipped: this checkout's history does not hold ${PREVIOUS_RELEASE} (git fetch --unshallow)`,
    );
    return undefined;
  }
  const directory = mkdtempSync(join(tmpdir(), 'cxp-previous-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const archive = join(directory, 'sources.tar');
    await git('archive', '--output', archive, PREVIOUS_RELEASE);
    await run('tar', ['-xf', archive, '-C', directory]);
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: directory });
    for (const app of apps) {
      await run(process.execPath, ['tools/build/bin/build.js', `apps/${app}`], { cwd: directory });
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { directoryOf: (app) => join(directory, 'dist/apps', app), remove };
}
