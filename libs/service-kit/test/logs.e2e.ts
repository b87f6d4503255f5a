import { randomUUID } from 'node:crypto';
import type { ServiceProcess } from '@cxp/testing/local-servers';
import { startSampleProcess } from './sample-process';
import { SAMPLE_PERMISSION, sampleDatabase, SampleModule } from './sample-service';
import {
  eventually,
  REAL_DEADLINE_MS,
  startTestService,
  type Caller,
  type TestService,
} from '../src/testing';

let stores: TestService;
let service: ServiceProcess;
let caller: Caller;

beforeAll(async () => {
  stores = await startTestService(SampleModule, sampleDatabase);
  service = await startSampleProcess(stores, { LOG_LEVEL: 'debug' });
  caller = await stores.caller({ permissions: [SAMPLE_PERMISSION] });
});
afterAll(async () => {
  await service.stop();
  await stores.stop();
});

/** The lines that a call left in the log. */
async function logOf(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; lines: Record<string, unknown>[] }> {
  const id = `call-${randomUUID()}`;
  const { status } = await fetch(service.url + path, {
    ...init,
    headers: { 'x-request-id': id, ...init.headers },
  });
  const lines = () => logged().filter((line) => JSON.stringify(line).includes(id));
  await eventually(() => lines().some(({ msg }) => msg === 'request'));
  return { status, lines: lines() };
}

/** Every line that the service has printed; throws if one is not JSON. */
function logged(): Record<string, unknown>[] {
  return service
    .output()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function greet(headers: Record<string, string>, body: string) {
  return logOf('/external/greetings?secret=query', { method: 'POST', headers, body });
}

describe('the log', () => {
  it('has nothing about a result that comes after the answer of a request whose time was over', async () => {
    const key = randomUUID();
    const hurried = await startSampleProcess(stores, { CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS) });
    expect((await fetch(`${hurried.url}/external/greetings/waiting/${key}`)).status).toBe(503);
    await stores.redis.set(key, 1);
    const file = `${key}-file`;
    expect((await fetch(`${hurried.url}/external/greetings/waiting/${file}/file`)).status).toBe(503);
    await stores.redis.set(file, 1);
    await eventually(async () => (await stores.redis.exists(`${file}:closed`)) === 1);
    await hurried.stop();
    expect(hurried.output()).toContain('the time of the request is over');
    expect(hurried.output()).not.toContain('FST_ERR_REP_ALREADY_SENT');
  });

  it('has one JSON object for each request, with its id, path, status and organization', async () => {
    const { lines } = await greet(
      { ...caller.headers, 'content-type': 'application/json' },
      '{"name":"Hoa"}',
    );
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        service: 'sample',
        requestId: expect.stringMatching(/^call-/),
        method: 'POST',
        path: '/external/greetings',
        status: 200,
        durationMs: expect.any(Number),
        organizationId: caller.organizationId,
        msg: 'request',
      },
    ]);
  });

  it.each([
    ['/health/live', 'debug'],
    ['/health/ready', 'debug'],
    ['/metrics', 'debug'],
    ['/health/other', 'info'],
  ])('has a request for %s at the level %s', async (path, level) => {
    expect((await logOf(path)).lines).toEqual([expect.objectContaining({ path, level })]);
  });

  it.each(['waiting', 'held'])(
    'has a request (%s) whose client goes away before its answer once, as 499, and the metrics too',
    async (route) => {
      const key = `${route}-cut`;
      const path = `/external/greetings/${route}/${key}`;
      const client = new AbortController();
      const answer = fetch(service.url + path, { signal: client.signal });
      await eventually(async () => (await stores.redis.exists(`${key}:started`)) === 1);
      client.abort();
      await expect(answer).rejects.toThrow('aborted');
      const lines = () => logged().filter((line) => line.path === path);
      await eventually(() => lines().length > 0);
      await stores.redis.set(key, 1);
      const metrics = await fetch(`${service.url}/metrics`).then((response) => response.text());
      expect(lines()).toEqual([
        expect.objectContaining({ status: 499, msg: 'request', durationMs: expect.any(Number) }),
      ]);
      expect(metrics).toContain(
        `http_server_request_duration_seconds_count{service="sample",http_request_method="GET",http_route="/external/greetings/${route}/:key",http_response_status_code="499"} 1`,
      );
    },
  );

  it('has an unexpected error once, with its cause and the request id', async () => {
    const { status, lines } = await logOf('/external/greetings/broken/hunter2');
    expect(status).toBe(500);
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      ['error', 'unexpected error'],
      ['info', 'request'],
    ]);
    expect(lines[0]).toMatchObject({
      err: { code: '22012', stack: expect.stringContaining('GreetingController') },
    });
  });

  it('never holds a token, a body, a query or a statement’s values', async () => {
    const json = { 'content-type': 'application/json' };
    await greet({ ...caller.headers, ...json }, '{"name":"body-of-mine"}');
    await greet(
      { ...caller.headers, ...json, authorization: 'Bearer wrong-token' },
      '{"name":"body-of-mine"}',
    );
    await greet({ ...caller.headers, ...json }, '{"name":"body-of-mine');
    await logOf('/external/greetings/broken/value-of-mine');

    const withoutPaths = JSON.stringify(logged().map(({ path: _, ...line }) => line));
    for (const secret of [caller.token, 'wrong-token', 'body-of-mine', 'secret=query', 'value-of-mine']) {
      expect(withoutPaths).not.toContain(secret);
    }
  });

  it('has nothing but JSON in it', () => {
    expect(logged()).not.toEqual([]);
  });
});
