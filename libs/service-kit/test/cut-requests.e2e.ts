import type { ServiceProcess } from '@cxp/testing/local-servers';
import { eventually, REAL_DEADLINE_MS, startTestService, type TestService } from '../src/testing';
import { startSampleProcess } from './sample-process';
import { sampleDatabase, SampleModule } from './sample-service';

let stores: TestService;
let service: ServiceProcess;

beforeAll(async () => {
  stores = await startTestService(SampleModule, sampleDatabase);
  service = await startSampleProcess(stores, { CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS) });
});
afterAll(async () => {
  await service.stop();
  await stores.stop();
});

/** Starts a request whose client goes away, without an answer, as soon as `hasBegun`. */
async function cut(path: string, hasBegun: () => Promise<boolean>): Promise<void> {
  const client = new AbortController();
  const answer = fetch(service.url + path, { signal: client.signal });
  await eventually(hasBegun);
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
}

const hasStarted = (key: string) => async () => (await stores.redis.exists(`${key}:started`)) === 1;

it.each(['waiting', 'held'])(
  'a request (%s) whose client goes away before its answer is logged and measured once, as 499',
  async (route) => {
    const key = `${route}-cut`;
    await cut(`/external/greetings/${route}/${key}`, hasStarted(key));
    const lines = () =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes(`${key}"`));
    await eventually(() => lines().length > 0);
    await stores.redis.set(key, 1);
    const metrics = await fetch(`${service.url}/metrics`).then((response) => response.text());

    expect(lines().map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ status: 499, msg: 'request', durationMs: expect.any(Number) }),
    ]);
    expect(metrics).toContain(
      `http_server_request_duration_seconds_count{service="sample",http_request_method="GET",http_route="/external/greetings/${route}/:key",http_response_status_code="499"} 1`,
    );
  },
);
