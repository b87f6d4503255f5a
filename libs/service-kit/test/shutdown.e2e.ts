import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { FaultyProxy, type ServiceProcess } from '@cxp/testing/local-servers';
import { eventually, REAL_DEADLINE_MS, startTestService, type TestService } from '../src/testing';
import { startSampleProcess } from './sample-process';
import { sampleDatabase, SampleModule } from './sample-service';

let stores: TestService;
let redis: Redis;
let service: ServiceProcess;

beforeAll(async () => {
  stores = await startTestService(SampleModule, sampleDatabase);
  redis = new Redis(stores.environment.REDIS_URL!);
});
afterEach(() => service.stop());
afterAll(async () => {
  await redis.quit();
  await stores.stop();
});

it('on SIGTERM a service is no longer ready but still takes requests, and asks clients to connect elsewhere', async () => {
  service = await startSampleProcess(stores, { SHUTDOWN_DRAIN_SECONDS: '2' });
  service.signal('SIGTERM');
  let ready: Response | undefined;
  await eventually(async () => !(ready = await fetch(`${service.url}/health/ready`)).ok);
  expect(ready?.status).toBe(503);
  expect(await ready?.json()).toEqual({
    ready: false,
    pid: await service.pid,
    checks: { postgres: 'up', redis: 'up', shutdown: 'down' },
  });

  const late = await fetch(`${service.url}/external/greetings/of/you`);
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
  expect(await service.exited).toBe(0);
});

it('on SIGINT a request under way is answered before the process ends, with its stores still there', async () => {
  service = await startSampleProcess(stores, { SHUTDOWN_DRAIN_SECONDS: '0' });
  const key = 'release';
  const held = fetch(`${service.url}/external/greetings/held/${key}`);
  await eventually(async () => (await redis.exists(`${key}:started`)) === 1);
  service.signal('SIGINT');
  await eventually(() => refuses(`${service.url}/health/live`));

  await redis.set(key, 1);
  expect(await (await held).json()).toEqual({ greeting: 'Hello at last' });
  expect(await service.exited).toBe(0);
});

it('on SIGTERM a request that does not end is cut after half a minute', async () => {
  service = await startSampleProcess(stores, { SHUTDOWN_DRAIN_SECONDS: '0' });
  const never = fetch(`${service.url}/external/greetings/held/never`).catch((error: Error) => error.name);
  await eventually(async () => (await redis.exists('never:started')) === 1);
  service.signal('SIGTERM');
  expect(await service.exited).toBe(0);
  expect(await never).toBe('TypeError');
}, 60_000);

it('on SIGTERM a process waits for a client that has yet to take the end of its answer from the kernel', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-documents-'));
  for (const name of ['scalar.js', 'scalar.js.gz'])
    writeFileSync(join(directory, name), 'x'.repeat(1_000_000));
  service = await startSampleProcess(stores, {
    SHUTDOWN_DRAIN_SECONDS: '0',
    DOCUMENTS_DIRECTORY: directory,
  });
  const { hostname, port } = new URL(service.url);
  const client = connect(Number(port), hostname).pause();
  client.write('GET /docs/scalar.js HTTP/1.1\r\nhost: sample\r\n\r\n');
  await sleep(500);
  service.signal('SIGTERM');
  expect(await Promise.race([service.exited, sleep(1_500, 'waits')])).toBe('waits');
  expect((await buffer(client)).length).toBeGreaterThan(1_000_000);
  expect(await service.exited).toBe(0);
  rmSync(directory, { recursive: true });
});

describe('with connections to the stores that the network has forgotten', () => {
  let proxies: FaultyProxy[];
  beforeEach(async () => {
    const { DATABASE_URL, REDIS_URL } = stores.environment;
    proxies = await Promise.all([DATABASE_URL!, REDIS_URL!].map((url) => FaultyProxy.before(url)));
    const [postgres, redisProxy] = proxies;
    service = await startSampleProcess(stores, {
      SHUTDOWN_DRAIN_SECONDS: '0',
      CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS),
      DATABASE_URL: postgres!.url,
      REDIS_URL: redisProxy!.url,
    });
    const statuses = await Promise.all(Array.from({ length: 8 }, ask));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
  afterEach(() => Promise.all(proxies.map((proxy) => proxy.close())));

  const ask = async () => (await fetch(`${service.url}/external/greetings/selected`)).status;

  it('on SIGTERM a process ends within two seconds', async () => {
    for (const proxy of proxies) proxy.forget();
    const startedAt = performance.now();
    service.signal('SIGTERM');
    expect(await service.exited).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('one call is 503, and then all connections are new ones', async () => {
    proxies[0]!.forget();
    expect(await ask()).toBe(503);
    // As `Retry-After` says.
    await sleep(1_000);
    expect(new Set(await Promise.all(Array.from({ length: 8 }, ask)))).toEqual(new Set([200]));
  });
});

function refuses(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  );
}
