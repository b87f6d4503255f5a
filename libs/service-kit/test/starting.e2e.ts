import { spawnSync } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import {
  answersOk,
  freePort,
  startRedis,
  startService,
  type LocalServer,
  type ServiceProcess,
  typescriptRegister,
} from '@cxp/testing/local-servers';
import { eventually, startTestService, type TestService } from '../src/testing';
import { startSampleProcess } from './sample-process';
import { sampleDatabase, SampleModule } from './sample-service';

const SECRET = 'hunter2';

let stores: TestService;
let service: ServiceProcess | undefined;
let redis: LocalServer | undefined;
let squatter: Server | undefined;

beforeAll(async () => {
  stores = await startTestService(SampleModule, sampleDatabase);
});
afterEach(async () => {
  await service?.stop();
  await redis?.stop();
  squatter?.close();
});
afterAll(() => stores.stop());

function start(environment: Record<string, string>, waitUntil: 'alive' | 'started'): Promise<ServiceProcess> {
  return startService({
    entry: 'libs/service-kit/test/sample-main.ts',
    env: { ...stores.environment, LOG_LEVEL: 'info', ...environment },
    portVariable: 'SAMPLE_PORT',
    waitUntil,
  });
}

/** Nobody listens while the service waits for its stores. */
function answersReady(url: string): Promise<boolean> {
  return answersOk(`${url}/health/ready`);
}

/** With the password and the host of nobody. */
function urlOf(scheme: string, port: number, path = ''): string {
  return `${scheme}://user:${SECRET}@127.0.0.1:${port}${path}`;
}

it('while PostgreSQL is away a service does not listen, and names host, port and reason, never a password', async () => {
  const port = await freePort();
  service = await start({ DATABASE_URL: urlOf('postgres', port, '/cxp') }, 'started');
  await eventually(async () => service!.output().includes('ECONNREFUSED'));
  await expect(fetch(`${service.url}/health/live`)).rejects.toThrow('fetch failed');
  expect(service.output()).toContain(
    `PostgreSQL at 127.0.0.1:${port} can't be used: connect ECONNREFUSED 127.0.0.1:${port}`,
  );
  expect(service.output()).not.toContain(SECRET);
});

it('while Redis is away a service says why, and serves as soon as Redis is there', async () => {
  const port = await freePort();
  service = await start({ REDIS_URL: `redis://127.0.0.1:${port}` }, 'started');
  await eventually(async () => service!.output().includes('ECONNREFUSED'));
  expect(service.output()).toContain(
    `Redis at 127.0.0.1:${port} can't be used: connect ECONNREFUSED 127.0.0.1:${port}`,
  );
  redis = await startRedis({ port });
  await eventually(async () => answersReady(service!.url));
});

it('a port that is taken stops the start at once', async () => {
  squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as { port: number };
  const { status, stderr } = spawnSync(
    process.execPath,
    ['-r', typescriptRegister, 'libs/service-kit/test/sample-main.ts'],
    {
      env: { ...process.env, ...stores.environment, SAMPLE_PORT: String(port), LISTEN_HOST: '127.0.0.1' },
      cwd: process.cwd(),
      encoding: 'utf8',
    },
  );
  expect([status, stderr]).toEqual([1, expect.stringContaining(`port ${port} is taken`)]);
});

it('a schema that is not migrated, or that the role has no rights on, is not ready, and the log says which', async () => {
  const { dataSource } = stores;
  const [{ database }] = await dataSource.query('SELECT current_database() AS database');
  await dataSource.query(`CREATE ROLE "poor ${database}" LOGIN`);
  const url = new URL(stores.environment.DATABASE_URL!);
  url.username = encodeURIComponent(`poor ${database}`);
  service = await start({ DATABASE_URL: url.href }, 'alive');
  const isReady = () => answersReady(service!.url);
  await eventually(async () => {
    expect(await isReady()).toBe(false);
    return service!.output().includes('the role may not use schema access');
  });
  await dataSource.query(`GRANT USAGE ON SCHEMA access, sample TO "poor ${database}";
    GRANT SELECT ON ALL TABLES IN SCHEMA access, sample TO "poor ${database}"`);
  await eventually(isReady);
  await dataSource.query(`REVOKE ALL ON ALL TABLES IN SCHEMA access, sample FROM "poor ${database}";
    REVOKE ALL ON SCHEMA access, sample FROM "poor ${database}"; DROP ROLE "poor ${database}"`);
});

it('a service with bad settings stops with one line that names them and never repeats a value, which may be a secret', async () => {
  const error: unknown = await startSampleProcess(stores, {
    DATABASE_URL: SECRET,
    REDIS_URL: SECRET,
  }).catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/^Error: Ended with status 1:\nsample: bad settings: [^\n]*$/);
  expect(String(error)).toContain('DATABASE_URL');
  expect(String(error)).toContain('REDIS_URL');
  expect(String(error)).not.toContain(SECRET);
});
