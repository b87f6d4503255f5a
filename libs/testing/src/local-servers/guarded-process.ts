import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const GUARD = join(__dirname, 'guard.js');
const OUTPUT_LIMIT = 1_000_000;

/** A command that must not outlive this process, even if this process is killed. */
export interface GuardedCommand {
  command: [string, ...string[]];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Sent to the command and its descendants. Default SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** Milliseconds from the signal to SIGKILL. Default 10 seconds. */
  killAfterMs?: number;
  /** Removed after the command has ended. */
  removeDirectory?: string;
  onOutput?: (text: string) => void;
}

export interface GuardedProcess {
  /** The guard's process id; the command is its only child. */
  readonly guardPid: number;
  /** Resolves once the command has started. */
  readonly pid: Promise<number>;
  /** Standard output and standard error, or the newest part. */
  readonly output: () => string;
  /** The exit status; 128 + n after signal n. */
  readonly exited: Promise<number>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Ends the process and its descendants; may be repeated. */
  readonly stop: () => Promise<void>;
}

/** Starts a command with a guard that ends it when this process ends. Does not keep this process alive. */
export function startGuarded({ env, cwd, onOutput, ...guarded }: GuardedCommand): GuardedProcess {
  // In a new session, so that Ctrl-C reaches this process only, which decides the order of ending.
  const guard = spawn(
    process.execPath,
    [GUARD, JSON.stringify({ stopSignal: 'SIGTERM', killAfterMs: 10_000, ...guarded })],
    {
      env,
      cwd,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    },
  ) as ChildProcessWithoutNullStreams;
  const pid = new Promise<number>((resolve) =>
    guard.once('message', (message) => resolve(message as number)),
  );
  const exited = once(guard, 'close').then(([code]) => code as number);
  let output = '';
  for (const stream of [guard.stdout, guard.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output.length > 2 * OUTPUT_LIMIT ? output.slice(-OUTPUT_LIMIT) : output) + text;
      onOutput?.(text);
    });
  }
  guard.stdin.on('error', () => undefined); // The process may end while a signal is on its way.
  for (const handle of [guard, guard.stdin, guard.stdout, guard.stderr, guard.channel!])
    (handle as typeof guard).unref();

  return {
    guardPid: guard.pid!,
    pid,
    output: () => output,
    exited,
    signal: (name) => void guard.stdin.write(`${name}\n`),
    async stop() {
      guard.ref();
      guard.stdin.end();
      await exited;
    },
  };
}

/** @throws with the output, when the process ends or time is over (it is stopped then) */
export async function waitUntilReady(
  started: GuardedProcess,
  isReady: () => boolean | Promise<boolean>,
  timeoutMs = 100_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let status: number | undefined;
  void started.exited.then((code) => (status = code));
  while (!(await isReady())) {
    if (status !== undefined) throw new Error(`Ended with status ${status}:\n${started.output().trim()}`);
    if (Date.now() > deadline) {
      await started.stop();
      throw new Error(`Not ready after ${timeoutMs} ms:\n${started.output().trim()}`);
    }
    await sleep(20);
  }
}
