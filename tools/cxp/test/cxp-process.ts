import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { main } from '../src/main';

export interface CxpResult {
  readonly status: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line as its build makes it, which starts in half the time of its sources; arguments follow. */
export const CXP = [join(workspaceRoot, 'dist/tools/cxp/main.js')];

/** Runs the command line as an operator does: a process of its own. */
export async function startCxp(
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

let previous: Promise<unknown> = Promise.resolve();

/** Runs the command line in this process, one run after the other: it has the environment, the output and the exit status of the process. */
export function runCxp(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<CxpResult> {
  const run = previous.then(() => runAlone(environment, args));
  previous = run.catch(() => undefined);
  return run;
}

async function runAlone(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<CxpResult> {
  const { env, exitCode } = process;
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  process.env = { PATH: env.PATH, ...environment };
  process.exitCode = undefined;
  try {
    await main([process.execPath, 'cxp', ...args]);
    return { status: process.exitCode ?? 0, stdout: stdout.written, stderr: stderr.written };
  } finally {
    process.env = env;
    process.exitCode = exitCode;
    stdout.end();
    stderr.end();
  }
}

/** Keeps what is written to a stream, instead of writing it, until `end`. */
function capture(stream: NodeJS.WriteStream): { readonly written: string; end(): void } {
  const write = stream.write.bind(stream);
  const listeners = stream.listeners('error');
  const captured = {
    written: '',
    end: () => {
      stream.write = write;
      for (const listener of stream.listeners('error')) {
        if (!listeners.includes(listener)) stream.off('error', listener as () => void);
      }
    },
  };
  stream.write = (chunk: string | Uint8Array) => {
    captured.written += String(chunk);
    return true;
  };
  return captured;
}
