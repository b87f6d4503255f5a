import { join, resolve } from 'node:path';
import { onFreePort } from './free-port';
import { type GuardedProcess, startGuarded, waitUntilReady } from './guarded-process';
import { workspaceRoot } from './workspace-root';

/** Given to `node -r`, it makes Node.js run TypeScript. */
export const typescriptRegister = join(__dirname, '../register.js');

export interface ServiceOptions {
  /** A TypeScript or JavaScript file, from the workspace's root, for instance `apps/survey-api/src/main.ts`. */
  entry: string;
  env?: NodeJS.ProcessEnv;
  /** The variable by which the service learns its port, for instance `SURVEY_PORT`. */
  portVariable: string;
  /** Answers 2xx when the service is ready. Default /health/ready. */
  readyPath?: string;
}

export interface ServiceProcess extends GuardedProcess {
  readonly url: string;
}

/** Starts a service as a real process on a free port and waits until it is ready. It ends with this process. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const { entry, env, portVariable, readyPath = '/health/ready' } = options;
  const register = entry.endsWith('.ts') ? ['-r', typescriptRegister] : [];
  return onFreePort(async (port) => {
    const service = startGuarded({
      command: [process.execPath, ...register, resolve(workspaceRoot, entry)],
      env: { ...process.env, ...env, [portVariable]: String(port) },
    });
    const url = `http://127.0.0.1:${port}`;
    await waitUntilReady(service, () => answers(`${url}${readyPath}`));
    return { ...service, url };
  });
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
