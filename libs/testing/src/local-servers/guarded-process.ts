import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const GUARD = join(__dirname, 'guard.js');
const OUTPUT_LIMIT = 1_000_000;

/** A command that must not outlive this process, not even when this process is killed. */
export interface GuardedCommand {
  /** The program and its arguments. */
  command: [string, ...string[]];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Sent to the command and everything it started. Default SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** What has not ended this long after the signal is killed. Default 10 seconds. */
  killAfterMs?: number;
  /** Removed after the command has ended. */
  removeDirectory?: string;
  /** Receives every piece of output as it comes. */
  onOutput?: (text: string) => void;
}

export interface GuardedProcess {
  /** The guard's process id; the command is its only child. */
  readonly guardPid: number;
  /** The command's process id, once it has started. */
  readonly pid: Promise<number>;
  /** Standard output and standard error so far, or the newest part of them. */
  readonly output: () => string;
  /** The exit status, once the process has ended; 128 + n when signal n ended it. */
  readonly exited: Promise<number>;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Ends the process and everything it started. May be called more than once. */
  readonly stop: () => Promise<void>;
}

/** Starts a command together with a guard that ends it when this process ends. It does not keep this process alive. */
export function startGuarded({ env, cwd, onOutput, ...guarded }: GuardedCommand): GuardedProcess {
  // A session of its own: Ctrl-C in the terminal reaches this process, which then decides what ends in which order.
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

/**
 * Waits until `isReady` is true.
 * @throws with what the process printed, when it ends before that or time is over (it is stopped then)
 */
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
