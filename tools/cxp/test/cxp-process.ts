import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { workspaceRoot } from '@cxp/local-servers';

export interface CxpResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line as its build makes it, which starts in half the time of its sources; arguments follow. */
export const CXP = [join(workspaceRoot, 'dist/tools/cxp/main.js')];

/** Runs the command line as an operator does: a process of its own. */
export async function runCxp(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
  cwd?: string,
): Promise<CxpResult> {
  const child = spawn(process.execPath, [...CXP, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
  });
  child.stdin.on('error', () => undefined).end(input);
  const exited = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { status, stdout, stderr };
}
