import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const workspaceRoot = resolve(__dirname, '../../../..');

/** The image's environment for Node.js and malloc, so that services are measured as deployed. */
export function imageEnvironment(): Record<string, string> {
  const dockerfile = readFileSync(join(workspaceRoot, 'docker', 'Dockerfile'), 'utf8');
  const { nodeOptions, arenas } =
    /^ENV NODE_OPTIONS="(?<nodeOptions>[^"]+)" MALLOC_ARENA_MAX=(?<arenas>\d+)$/m.exec(dockerfile)!.groups!;
  return { NODE_ENV: 'production', NODE_OPTIONS: nodeOptions!, MALLOC_ARENA_MAX: arenas! };
}

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

/** Below the ephemeral ports of Linux, macOS and Windows. */
const FIRST_PORT = 20_000;
const PORTS_PER_WORKER = 2_000;
const WORKERS = 6;

/** Processes of one worker start at different ports, against collisions. */
let next = process.pid * 37;

/**
 * A free port of 127.0.0.1 in this Jest worker's range: no other caller gets it first.
 * @throws when all ports of the range are taken
 */
export async function freePort(): Promise<number> {
  const first = FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * PORTS_PER_WORKER;
  for (let tried = 0; tried < PORTS_PER_WORKER; tried++) {
    const port = first + (next++ % PORTS_PER_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${first} to ${first + PORTS_PER_WORKER - 1} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** `node -r` with this file runs TypeScript. */
export const typescriptRegister = join(__dirname, '../../register.js');

export interface ServiceOptions {
  entry: string;
  env?: NodeJS.ProcessEnv;
  portVariable: string;
  /** `ready`: its stores answer; `alive`: it answers; `started`: don't wait. Default `ready`. */
  waitUntil?: 'ready' | 'alive' | 'started';
}

export interface ServiceProcess extends GuardedProcess {
  readonly url: string;
}

/** Starts a real process on a free port, which ends with this process. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const { entry, env, portVariable, waitUntil = 'ready' } = options;
  const register = entry.endsWith('.ts') ? ['-r', typescriptRegister] : [];
  const port = await freePort();
  const service = startGuarded({
    command: [process.execPath, ...register, resolve(workspaceRoot, entry)],
    env: { ...process.env, ...env, [portVariable]: String(port) },
  });
  const url = `http://127.0.0.1:${port}`;
  if (waitUntil !== 'started') await waitUntilReady(service, () => answersAs(service, url, waitUntil));
  return { ...service, url };
}

export function answersOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Compares the answer's `pid`, because another process may listen at the port. */
async function answersAs(service: GuardedProcess, url: string, as: 'ready' | 'alive'): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health/ready`);
    const { pid } = (await answer.json()) as { pid?: number };
    return pid === (await service.pid) && (as === 'alive' || answer.ok);
  } catch {
    return false;
  }
}
