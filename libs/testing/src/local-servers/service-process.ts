import { join, resolve } from 'node:path';
import { type GuardedProcess, startGuarded, waitUntilReady } from './guarded-process';
import { freePort } from './local-server';
import { workspaceRoot } from './workspace';

/** Given to `node -r`, it makes Node.js run TypeScript. */
export const typescriptRegister = join(__dirname, '../../register.js');

export interface ServiceOptions {
  /** A TypeScript or JavaScript file, from the workspace's root, for instance `apps/survey-api/src/main.ts`. */
  entry: string;
  env?: NodeJS.ProcessEnv;
  /** The variable by which the service learns its port, for instance `SURVEY_PORT`. */
  portVariable: string;
  /** Whether to wait for a service that is ready, for one that answers, which waits for its stores first, or for none. Default `ready`. */
  waitUntil?: 'ready' | 'alive' | 'started';
}

export interface ServiceProcess extends GuardedProcess {
  readonly url: string;
}

/** Starts a service as a real process on a free port and waits until this process is ready. It ends with this process. */
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

/** Whether a URL is answered with success. */
export function answersOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Whether this very process answers, and no other that listens at its port: its answer has its `pid`. */
async function answersAs(service: GuardedProcess, url: string, as: 'ready' | 'alive'): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health/ready`);
    const { pid } = (await answer.json()) as { pid?: number };
    return pid === (await service.pid) && (as === 'alive' || answer.ok);
  } catch {
    return false;
  }
}
