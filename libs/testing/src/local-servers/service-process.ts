import { join, resolve } from 'node:path';
import { type GuardedProcess, startGuarded, waitUntilReady } from './guarded-process';
import { freePort } from './local-server';
import { workspaceRoot } from './workspace';

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
