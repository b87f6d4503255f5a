import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/local-servers';
import { services } from '@cxp/services/services';

const run = promisify(execFile);

/** A state of the workspace that is measured: what is checked out here, or a commit in a work tree of its own. */
export class Revision {
  private constructor(
    readonly name: string,
    private readonly root: string,
  ) {}

  /** Whether it is what is checked out. */
  get isHere(): boolean {
    return this.root === workspaceRoot;
  }

  /** This checkout. */
  static async here(): Promise<Revision> {
    const { stdout } = await run('git', ['describe', '--always', '--dirty'], { cwd: workspaceRoot });
    return new Revision(stdout.trim(), workspaceRoot);
  }

  /** Another commit, built below `.local/bench`. It is kept for the next run. */
  static async ofCommit(commit: string): Promise<Revision> {
    const { stdout } = await run('git', ['rev-parse', '--short', `${commit}^{commit}`], {
      cwd: workspaceRoot,
    });
    const root = join(workspaceRoot, '.local/bench', stdout.trim());
    await command('git', ['worktree', 'prune'], workspaceRoot);
    if (!existsSync(join(root, 'package.json'))) {
      await rm(root, { recursive: true, force: true });
      await command('git', ['worktree', 'add', '--force', '--detach', root, commit], workspaceRoot);
    }
    // npm writes this file last.
    if (!existsSync(join(root, 'node_modules/.package-lock.json')))
      await command('npm', ['ci', '--no-audit', '--no-fund'], root);
    return new Revision(stdout.trim(), root).built();
  }

  /** The program of a service. */
  entryOf(app: string): string {
    return join(this.root, 'dist/apps', app, 'main.js');
  }

  /** Runs the command line of this revision. @returns what it prints */
  async cxp(env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> {
    const options = { cwd: this.root, env: { ...process.env, ...env } };
    return (await run(process.execPath, ['tools/cxp/bin/cxp.js', ...args], options)).stdout;
  }

  /** Builds its services. */
  async built(): Promise<this> {
    const projects = services.map(({ app }) => app).join(',');
    await command(
      'npx',
      ['nx', 'run-many', '-t', 'build', '-p', projects, '--outputStyle=static'],
      this.root,
    );
    return this;
  }
}

/** Runs a command; what it prints goes to standard error. */
function command(name: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(name, args, {
    cwd,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NX_DAEMON: 'false' },
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${name} ${args[0]} failed in ${cwd}`)),
    );
  });
}
