import { watch } from 'node:fs';
import { join } from 'node:path';
import {
  type GuardedProcess,
  startGuarded,
  typescriptRegister,
  workspaceRoot,
} from '@cxp/testing/local-servers';
import { readStackEnvironment, stackDirectory } from './running-stack';

const PARENT_CHECK_MS = 1_000;

const SOURCE = /(?<!\.spec|\.e2e)\.(tsx?|css|client\.js)$/;
/** An editor, or a change of branch, writes several files. */
const SETTLE_MS = 200;

/**
 * `nx serve <app>`: runs an app from its sources, and again after each change of them or of a library. What the
 * environment does not say comes from the running local stack.
 *
 * Not `node --watch`: that goes on when the app does not start, for instance because its port is taken.
 */
export async function main(projectRoot: string): Promise<void> {
  const env = { ...readStackEnvironment(stackDirectory(process.env)), ...process.env };
  if (!env.DOCUMENTS_DIRECTORY) {
    // It loads the code of the services, which takes longer than all the rest.
    const { builtDocuments } = await import('@cxp/openapi/documents');
    env.DOCUMENTS_DIRECTORY = await builtDocuments();
  }
  if (!env.DATABASE_URL || !env.REDIS_URL) {
    console.error('No databases: run `npm start` beside this, or set DATABASE_URL and REDIS_URL');
    process.exit(1);
  }
  const command = [
    process.execPath,
    '-r',
    typescriptRegister,
    join(workspaceRoot, projectRoot, 'src/main.ts'),
  ];
  const app = new RestartableProcess(() =>
    startGuarded({ command: command as [string], env, onOutput: (text) => process.stdout.write(text) }),
  );
  onSourceChange([join(projectRoot, 'src'), 'libs'], () => app.restart());

  const stop = () => void app.stop().then(() => process.exit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // An Nx that is killed does not end what it started.
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && stop(), PARENT_CHECK_MS);
}

/** Ends this process when the app ends by itself; once restarted, it waits for the change that repairs the app. */
class RestartableProcess {
  private current?: GuardedProcess;
  private restarts = Promise.resolve();
  private isRestarted = false;

  constructor(private readonly start: () => GuardedProcess) {
    this.run();
  }

  restart(): void {
    this.isRestarted = true;
    this.restarts = this.restarts.then(() => this.stop()).then(() => this.run());
  }

  async stop(): Promise<void> {
    const stopped = this.current;
    this.current = undefined;
    await stopped?.stop();
  }

  private run(): void {
    const started = this.start();
    this.current = started;
    void started.exited.then((status) => {
      if (this.current !== started) return;
      if (!this.isRestarted) process.exit(status);
      console.error(`Ended with status ${status}: waiting for a change`);
    });
  }
}

/** Calls back after sources in these folders of the workspace have changed and come to rest. */
function onSourceChange(folders: string[], changed: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  for (const folder of folders) {
    watch(join(workspaceRoot, folder), { recursive: true }, (_, file) => {
      if (!file || !SOURCE.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(changed, SETTLE_MS);
    });
  }
}
