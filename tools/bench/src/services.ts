import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgres, startRedis } from '@cxp/testing/local-servers';
import { contactCenter, survey, webchat } from '@cxp/system-tests/service-under-test';

export const run = promisify(execFile);

export const SERVICES = { webchat, contactCenter, survey };

/** Builds the services of a checkout. @returns where it is */
export async function built(root: string): Promise<string> {
  const projects = Object.values(SERVICES).map(({ name }) => name);
  const env = { ...process.env, NX_DAEMON: 'false' };
  await run('npx', ['nx', 'run-many', '-t', 'build', '-p', projects.join()], { cwd: root, env });
  return root;
}

export interface Stores {
  /** For the services. */
  readonly environment: Readonly<Record<'DATABASE_URL' | 'REDIS_URL', string>>;
  /** Makes an organization. @returns the headers of a caller that may do everything in it */
  readonly callerOf: (organization: string) => Promise<Readonly<Record<string, string>>>;
}

/** Starts stores and migrates them to the release of a checkout. */
export async function startStores(root: string, stops: (() => Promise<unknown>)[]): Promise<Stores> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  stops.push(() => Promise.all([postgres.stop(), redis.stop()]));
  const environment = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const cxp = async (...args: string[]) => {
    const options = { cwd: root, env: { ...process.env, ...environment } };
    return (await run(process.execPath, [join(root, 'tools/cxp/bin/cxp.js'), ...args], options)).stdout;
  };
  await cxp('migrate');
  const callerOf = async (organization: string) => {
    await cxp('organization', 'create', '--id', organization, '--name', organization);
    const create = ['token', 'create', '--organization', organization, '--name', 'bench', '--json'];
    const created = await cxp(...create, '--all-permissions', '--platform');
    const { token } = JSON.parse(created) as { token: string };
    return { authorization: `Bearer ${token}`, 'organization-id': organization, 'auth-type': 'token' };
  };
  return { environment, callerOf };
}

/** Resident memory of a process, now or at its peak, in MiB. */
export async function megabytesOf(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
}
