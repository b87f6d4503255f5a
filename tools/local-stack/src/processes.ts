import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  answersOk,
  type GuardedProcess,
  startGuarded,
  waitUntilReady,
  workspaceRoot,
} from '@cxp/testing/local-servers';
import type { LocalStackSettings } from './settings';

const START_TIMEOUT_MS = 120_000;

/** Runs what `nx serve <app>` runs, without Nx around it; what it prints appears with the app's name in front. */
export function serveApp(app: string, environment: NodeJS.ProcessEnv): GuardedProcess {
  return startGuarded({
    command: [process.execPath, join(workspaceRoot, 'tools/local-stack/bin/serve.js'), join('apps', app)],
    cwd: workspaceRoot,
    env: environment,
    onOutput: prefixLines(`[${app}]`, (text) => process.stdout.write(text)),
  });
}

/** @throws one line when the app does not start; the app itself has printed why */
export async function untilReady(
  served: GuardedProcess,
  { app, url }: LocalStackSettings['services'][number],
): Promise<void> {
  const isReady = () => answersOk(`${url}/health/ready`);
  await waitUntilReady(served, isReady, START_TIMEOUT_MS).catch((error: unknown) => {
    throw new Error(`${app} does not start`, { cause: error });
  });
}

/** Passes whole lines on, each with a prefix; the pieces of text may end anywhere. */
export function prefixLines(prefix: string, write: (text: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) write(`${prefix} ${line}\n`);
  };
}

/**
 * Runs `npx cxp …`, the way an operator would.
 * @throws the line that it says its failure with
 */
export async function cxp(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<void> {
  const program = join(workspaceRoot, 'tools/cxp/bin/cxp.js');
  try {
    await promisify(execFile)(process.execPath, [program, ...args], { env: environment });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`cxp ${args.join(' ')}: ${stderr?.trim() || String(error)}`, { cause: error });
  }
}
