import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDeployable } from '@cxp/build';
import { freePort, startPostgres, startRedis, workspaceRoot } from '@cxp/local-servers';
import { databases } from '@cxp/services/areas';
import { SERVICES, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { migrate } from '@cxp/storage';
import { imageEnvironment } from '../image-environment';
import { planSteps, reportProgress } from '../progress';
import { median } from '../statistics';

const STARTS = 7;
const ASK_EVERY_MS = 5;
const GIVE_UP_MS = 30_000;

/** From the start of a process to its first 200 of /health/ready: each service as its image runs it, in turn. Half a minute. */
export async function benchStart(): Promise<void> {
  planSteps(2 + STARTS);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  for (const area of databases) await migrate(area, postgres.url);
  reportProgress('build');
  for (const { name } of SERVICES) {
    await buildDeployable(`apps/${name}`);
    // As docker/Dockerfile does: without settings it ends at once.
    await once(run(name, imageEnvironment(), 'ignore'), 'exit');
  }
  const stores = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const times = new Map<string, number[]>(SERVICES.map(({ name }) => [name, []]));
  reportProgress('first starts, which read the files');
  for (const service of SERVICES) await timeToReady(service, stores);
  for (let start = 1; start <= STARTS; start++) {
    reportProgress(`start ${start}`);
    for (const service of SERVICES) times.get(service.name)!.push(await timeToReady(service, stores));
  }
  const table = [...times].map(([name, all]) => [
    name,
    { 'median s': median(all).toFixed(2), 'slowest s': Math.max(...all).toFixed(2) },
  ]);
  console.table(Object.fromEntries(table));
  await Promise.all([postgres.stop(), redis.stop()]);
}

/** @returns seconds */
async function timeToReady(
  { name, portVariable, settings }: ServiceUnderTest,
  stores: Readonly<Record<string, string>>,
): Promise<number> {
  const port = await freePort();
  const start = performance.now();
  const env = {
    ...imageEnvironment(),
    ...settings,
    ...stores,
    [portVariable]: String(port),
    LOG_LEVEL: 'warn',
  };
  const service = run(name, env, 'inherit');
  const ended = once(service, 'exit');
  try {
    while (!(await isReady(port))) {
      if (performance.now() - start > GIVE_UP_MS || service.exitCode !== null) {
        throw new Error(`${name} does not become ready`);
      }
      await sleep(ASK_EVERY_MS);
    }
    return (performance.now() - start) / 1_000;
  } finally {
    service.kill('SIGKILL');
    await ended;
  }
}

function run(name: string, env: NodeJS.ProcessEnv, output: 'ignore' | 'inherit'): ChildProcess {
  return spawn(process.execPath, ['--enable-source-maps', 'main.js'], {
    cwd: join(workspaceRoot, 'dist/apps', name),
    env: { ...env, NODE_COMPILE_CACHE: '.compile-cache' },
    stdio: ['ignore', output, output],
  });
}

function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}
