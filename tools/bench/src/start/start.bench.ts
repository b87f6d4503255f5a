import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { imageEnvironment, freePort, workspaceRoot } from '@cxp/local-servers';
import { SERVICES, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { withStack, type BenchStack } from '../bench-stack';
import { inTurn } from '../in-turn';
import { reportProgress } from '../progress';
import { median } from '../statistics';

const STARTS = 7;
const ASK_EVERY_MS = 5;
const GIVE_UP_MS = 30_000;

/** From the start of a process to its first 200 of /health/ready: each service as its image runs it, in turn. Half a minute. */
export function benchStart(): Promise<void> {
  return withStack(SERVICES, 1 + STARTS, measureStarts);
}

async function measureStarts(stack: BenchStack): Promise<void> {
  // As docker/Dockerfile does: without settings it ends at once.
  for (const { name } of SERVICES) await once(run(name, imageEnvironment(), 'ignore'), 'exit');
  const stores = { DATABASE_URL: stack.postgres.url, REDIS_URL: stack.redis.url };
  const starts = SERVICES.map((service) => [service.name, () => timeToReady(service, stores)] as const);
  // The first starts read the files.
  const times = await inTurn(Object.fromEntries(starts), STARTS, (round) => reportProgress(`start ${round}`));
  const table = Object.entries(times).map(([name, all]) => [
    name,
    { 'median s': median(all).toFixed(2), 'slowest s': Math.max(...all).toFixed(2) },
  ]);
  console.table(Object.fromEntries(table));
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
