import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/testing';
import { startTestService, type TestService } from '../src/testing';
import { SAMPLE_PERMISSION, sampleDatabase, SampleModule } from './sample-service';

describe('GET /metrics', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService(SampleModule, sampleDatabase, {
      DATABASE_POOL_SIZE: '2',
      SAMPLE_PER_MIN_LIMIT: '3',
      EXTERNAL_UNAUTHENTICATED_PER_SEC_LIMIT: '1000',
      EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT: '4',
    });
  });
  afterAll(() => service.stop());

  async function metric(name: string): Promise<string[]> {
    const text = await fetch(`${service.url}/metrics`).then((answer) => answer.text());
    return text.split('\n').filter((line) => line.startsWith(name));
  }

  it('counts requests by method, route and status, never by path', async () => {
    await fetch(`${service.url}/external/greetings/of/An`);
    await fetch(`${service.url}/external/greetings/of/Binh`);
    await fetch(`${service.url}/nowhere`);

    const name = 'http_server_request_duration_seconds_count';
    expect(await metric(name)).toEqual(
      expect.arrayContaining([
        `${name}{service="sample",http_request_method="GET",http_route="/external/greetings/of/:name",http_response_status_code="200"} 2`,
        `${name}{service="sample",http_request_method="GET",http_route="",http_response_status_code="404"} 1`,
      ]),
    );
  });

  it('shows requests that are in work, from their headers on', async () => {
    const inWork = async () =>
      (await metric('http_server_active_requests')).filter((line) =>
        line.includes('http_route="/external/greetings"'),
      );
    const caller = await service.caller({ permissions: [SAMPLE_PERMISSION] });
    const head = Object.entries({ host: 'test', 'content-length': '9', ...caller.headers });
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write('POST /external/greetings HTTP/1.1\r\n');
    socket.write(`${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n{`);
    await eventually(async () => (await inWork()).some((line) => line.endsWith(' 1')));
    socket.destroy();
    await eventually(async () => (await inWork()).every((line) => line.endsWith(' 0')));
  });

  it("has the buckets of OpenTelemetry's convention", async () => {
    await fetch(`${service.url}/external/greetings/of/An`);
    const buckets = (await metric('http_server_request_duration_seconds_bucket')).filter((line) =>
      line.includes('/of/:name'),
    );
    expect(buckets.map((line) => /le="([^"]+)"/.exec(line)![1])).toEqual(
      '0.005 0.01 0.025 0.05 0.075 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 +Inf'.split(' '),
    );
  });

  it('shows how many connections to PostgreSQL are in use, and what waits for one', async () => {
    const holders = [1, 2, 3].map(() => service.app.get(DataSource).createQueryRunner());
    await Promise.all([holders[0]!.connect(), holders[1]!.connect()]);
    const waiting = holders[2]!.connect();

    expect(await metric('postgres_pool')).toEqual([
      'postgres_pool_connections{state="in_use",service="sample"} 2',
      'postgres_pool_connections{state="idle",service="sample"} 0',
      'postgres_pool_connections_max{service="sample"} 2',
      'postgres_pool_waiting{service="sample"} 1',
    ]);

    await holders[0]!.release();
    await waiting;
    await Promise.all([holders[1]!.release(), holders[2]!.release()]);
    expect(await metric('postgres_pool_connections{state="in_use"')).toEqual([
      'postgres_pool_connections{state="in_use",service="sample"} 0',
    ]);
  });

  it('counts requests that are answered 429 by the setting that is exceeded', async () => {
    const caller = await service.caller({ permissions: [SAMPLE_PERMISSION] });
    const greet = (headers: Readonly<Record<string, string>>) =>
      fetch(`${service.url}/external/greetings`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"name":"Hoa"}',
      });
    for (let call = 1; call <= 5; call++) {
      await greet(caller.headers);
      await greet({ ...caller.headers, authorization: 'Bearer wrong' });
    }

    expect(await metric('rate_limited_requests_total')).toEqual(
      [
        'rate_limited_requests_total{limit="SAMPLE_PER_MIN_LIMIT",service="sample"} 2',
        'rate_limited_requests_total{limit="EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT",service="sample"} 1',
      ].map((line) => expect.stringContaining(line) as string),
    );
  });

  it('says which build runs', async () => {
    const { version } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as {
      version: string;
    };

    expect(await metric('cxp_build_info')).toEqual([
      `cxp_build_info{version="${version}",commit="unknown",service="sample"} 1`,
    ]);
  });

  it('has none of synchronous commits unless they are expected', async () => {
    expect(await metric('postgres_synchronous')).toEqual([]);
  });

  it('shows whether there is a connection to Redis', async () => {
    expect(await metric('redis_connected')).toEqual(['redis_connected{service="sample"} 1']);
  });
});

it('the metric of synchronous commits is 0 without a standby', async () => {
  const expecting = await startTestService(SampleModule, sampleDatabase, {
    POSTGRES_SYNCHRONOUS: 'expected',
  });
  const metrics = await fetch(`${expecting.url}/metrics`).then((answer) => answer.text());
  await expecting.stop();
  expect(metrics).toContain('postgres_synchronous{service="sample"} 0');
});
