import { join } from 'node:path';
import { type GuardedProcess, startGuarded, waitUntilReady, workspaceRoot } from '@cxp/testing';
import { prefixLines } from './prefix-lines';
import type { LocalStackSettings } from './settings';

const START_TIMEOUT_MS = 120_000;

/**
 * Runs `nx serve <app>`; what it prints appears with the app's name in front.
 * @param directory the stack's; Nx keeps its state there, as it would wait for an app that it knows to be served elsewhere
 */
export function serveApp(app: string, directory: string, environment: NodeJS.ProcessEnv): GuardedProcess {
  return startGuarded({
    command: [join(workspaceRoot, 'node_modules/.bin/nx'), 'serve', app],
    cwd: workspaceRoot,
    // Nx's daemon would stay behind, and its own screen would hide what the services print.
    env: {
      ...environment,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      NX_WORKSPACE_DATA_DIRECTORY: join(directory, 'nx'),
    },
    onOutput: prefixLines(`[${app}]`, (text) => process.stdout.write(text)),
  });
}

/** @throws one line when the app does not start; the app itself has said why */
export async function untilReady(
  served: GuardedProcess,
  { app, url }: LocalStackSettings['services'][number],
): Promise<void> {
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await waitUntilReady(served, isReady, START_TIMEOUT_MS).catch((error: unknown) => {
    throw new Error(`${app} does not start`, { cause: error });
  });
}
