import { Redis } from 'ioredis';
import type { ServiceProcess } from '@cxp/testing/local-servers';
import { eventually, startTestService, type TestService } from '../src/testing';
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

function refuses(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  );
}
