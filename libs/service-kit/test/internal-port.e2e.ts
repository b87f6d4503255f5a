import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { freePort, type ServiceProcess } from '@cxp/testing/local-servers';
import { eventually, startTestService, type TestService } from '../src/testing';
import { startSampleProcess } from './sample-process';
import { sampleDatabase, SampleModule } from './sample-service';

const INTERNAL = '/internal/greetings';

let stores: TestService;
let redis: Redis;
let service: ServiceProcess;
let internalUrl: string;

// One process for all tests: the one that ends it is the last.
beforeAll(async () => {
  stores = await startTestService(SampleModule, sampleDatabase);
  redis = new Redis(stores.environment.REDIS_URL!);
  const port = await freePort();
  internalUrl = `http://127.0.0.1:${port}`;
  service = await startSampleProcess(stores, { INTERNAL_PORT: String(port), SHUTDOWN_DRAIN_SECONDS: '0' });
});
afterAll(async () => {
  await service.stop();
  await redis.quit();
  await stores.stop();
});

it.each([
  ['GET', INTERNAL],
  ['GET', `${INTERNAL}?name=you`],
  ['GET', INTERNAL.replace('i', '%69')],
  ['DELETE', INTERNAL],
  ['DELETE', INTERNAL.replace('i', '%69')],
])(
  '%s %s is answered at its own port, and at the other one as a path that does not exist',
  async (method, path) => {
    const { headers } = await stores.caller();
    const answers = [internalUrl, service.url].map(async (url) => {
      const response = await fetch(url + path, { method, headers });
      return {
        status: response.status,
        body: await response.text(),
        id: response.headers.get('x-request-id'),
      };
    });
    const [internal, hidden] = await Promise.all(answers);
    expect([internal!.status, internal!.body]).toEqual(
      method === 'GET' ? [200, '{"greeting":"Hello platform"}'] : [405, '{"detail":"Method Not Allowed"}'],
    );
    const unknown = await fetch(service.url + path.replace('greetings', 'unknown'), { method, headers });
    expect([hidden!.status, hidden!.body]).toEqual([404, await unknown.text()]);
    expect(hidden!.id).toEqual(expect.any(String));
  },
);

it('what the public port hides is measured, as a path that does not exist', async () => {
  const hidden = async () => {
    const metrics = await fetch(`${service.url}/metrics`).then((response) => response.text());
    return Number(
      /^http_server_request_duration_seconds_count\{.*http_route="",http_response_status_code="404"\} (\d+)$/m.exec(
        metrics,
      )?.[1] ?? 0,
    );
  };
  const before = await hidden();
  await fetch(service.url + INTERNAL);
  expect(await hidden()).toBe(before + 1);
});

it('everything else is answered at both', async () => {
  const urls = [`${service.url}/external/greetings/of/you`, `${internalUrl}/external/greetings/of/you`];
  expect(await Promise.all(urls.map(async (url) => (await fetch(url)).status))).toEqual([200, 200]);
});

it('an internal port that is that of the service stops the start in one line', async () => {
  const port = new URL(service.url).port;
  await expect(startSampleProcess(stores, { INTERNAL_PORT: port })).rejects.toThrow(`port ${port} is taken`);
});

it('a request under way at the internal port is answered before the process ends, with its stores still there; an upload that does not end is cut', async () => {
  const upload = await unfinishedUpload();
  const held = fetch(`${internalUrl}/external/greetings/held/release`);
  await eventually(async () => (await redis.exists('release:started')) === 1);
  service.signal('SIGTERM');
  await eventually(() =>
    fetch(`${internalUrl}/health/live`).then(
      () => false,
      () => true,
    ),
  );
  await redis.set('release', 1);
  expect(await (await held).json()).toEqual({ greeting: 'Hello at last' });
  expect(await service.exited).toBe(0);
  expect(upload.destroyed).toBe(true);
  expect(service.output()).not.toMatch('unexpected error');
});

/** @returns once its headers are read */
async function unfinishedUpload(): Promise<Socket> {
  const { hostname, port } = new URL(internalUrl);
  const { headers } = await stores.caller();
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  const sent = { host: 'internal', 'content-type': 'application/json', 'content-length': '15', ...headers };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`);
  socket.write(['POST /external/greetings HTTP/1.1', 'expect: 100-continue', ...lines, '', ''].join('\r\n'));
  await once(socket, 'data');
  return socket;
}
