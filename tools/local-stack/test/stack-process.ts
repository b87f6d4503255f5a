import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, type GuardedProcess, startGuarded } from '@cxp/testing/local-servers';

const START = join(__dirname, '../bin/start.js');
const SERVE = join(__dirname, '../bin/serve.js');

/** Free ports, by the variables that set them. */
export async function freePorts(): Promise<Record<string, string>> {
  const variables = ['WEBCHAT_PORT', 'WEBCHAT_TLS_PORT', 'CONTACT_CENTER_PORT', 'SURVEY_PORT'];
  return Object.fromEntries(
    await Promise.all(variables.map(async (variable) => [variable, String(await freePort())])),
  );
}

/** Runs `npm start`'s script as its own process; without the databases of the test run, unless `env` names them. */
export function startStack(directory: string, env: NodeJS.ProcessEnv): GuardedProcess {
  return run([START], directory, env);
}

/** Runs what `nx serve` runs. */
export function serveApp(projectRoot: string, directory: string, env: NodeJS.ProcessEnv): GuardedProcess {
  return run([SERVE, projectRoot], directory, env);
}

function run(script: string[], directory: string, env: NodeJS.ProcessEnv): GuardedProcess {
  const { DATABASE_URL: _, REDIS_URL: __, ...outside } = process.env;
  // Its servers take ports of another range: never one that `freePorts` promised to a service that starts later.
  const JEST_WORKER_ID = String(Number(process.env.JEST_WORKER_ID) + 3);
  return startGuarded({
    command: [process.execPath, ...script],
    env: { ...outside, JEST_WORKER_ID, LOCAL_STACK_DIRECTORY: directory, ...env },
  });
}

/** Every process that descends from one, by Linux's own account. */
export function descendants(pid: number): number[] {
  const children = processes().filter(({ parent }) => parent === pid);
  return children.flatMap((child) => [child.pid, ...descendants(child.pid)]);
}

export function living(pids: number[]): number[] {
  return processes()
    .map(({ pid }) => pid)
    .filter((pid) => pids.includes(pid));
}

/** The command line of a process; empty if it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function processes(): { pid: number; parent: number }[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      // "pid (command) state parent …"; the command may hold anything.
      const [state, parent] = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
      return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent) }];
    } catch {
      return []; // It ended meanwhile.
    }
  });
}
