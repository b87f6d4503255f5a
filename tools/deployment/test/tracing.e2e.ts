import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { startService, typescriptRegister, workspaceRoot, type ServiceProcess } from '@cxp/local-servers';
import { createTestDatabase, createTestRedis } from '@cxp/testing';
import { accessDatabase } from '@cxp/access';
import { issueTestToken } from '@cxp/service-kit/testing';
import { migrate } from '@cxp/storage';
import { surveyDatabase } from '@cxp/survey-api/database';
import { DataSource } from 'typeorm';
import { startTraceReceiver, type TraceReceiver } from './trace-receiver';

describe('traces of a service', () => {
  let receiver: TraceReceiver;
  let service: ServiceProcess;
  let headers: Readonly<Record<string, string>>;
  let status: number;
  const requestId = 'order-4711';
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const stops: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const database = await createTestDatabase([accessDatabase, surveyDatabase], migrate);
    const redis = await createTestRedis();
    receiver = await startTraceReceiver();
    service = await startService({
      entry: 'dist/apps/survey-api/main.js',
      portVariable: 'SURVEY_PORT',
      env: {
        ...receiver.environment,
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        SHUTDOWN_DRAIN_SECONDS: '0',
      },
    });
    const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    ({ headers } = await issueTestToken(dataSource));
    await dataSource.destroy();
    stops.push(service.stop, redis.close, database.drop);

    ({ status } = await fetch(`${service.url}/external/survey-campaigns?search=confidential`, {
      headers: { ...headers, 'x-request-id': requestId, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    }));
    await service.stop(); // which sends the last spans
  });

  afterAll(async () => {
    for (const stop of stops) await stop();
    receiver.close();
  });

  it('follow a request to PostgreSQL and Redis, with its route and without what was sent', () => {
    expect(status).toBe(200);
    const trace = receiver.spans.filter((span) => span.traceId === traceId);
    const names = trace.map(({ name }) => name);
    expect(names).toContain('GET /external/survey-campaigns');
    expect(names).toContainEqual(expect.stringMatching(/^pg\.query:SELECT/));
    expect(names).toContainEqual(expect.stringMatching(/^eval/));
    for (const secret of ['confidential', headers['authorization']!.slice('Bearer '.length)]) {
      const statements = trace.filter(({ name }) => !name.startsWith('GET '));
      expect(JSON.stringify(statements)).not.toContain(secret);
    }
  });

  it('share the id of the request with the log, whose lines have the ids of trace and span', () => {
    const span = receiver.spans.find(({ name }) => name === 'GET /external/survey-campaigns')!;
    const line = service
      .output()
      .split('\n')
      .find((one) => one.includes('"request"'));

    expect(span.attributes).toContainEqual({
      key: 'http.response.header.x-request-id',
      value: { arrayValue: { values: [{ stringValue: requestId }] } },
    });
    expect(JSON.parse(line!)).toMatchObject({ requestId, trace_id: traceId, span_id: span.spanId });
  });

  it('leave out health checks, and come without metrics and logs', () => {
    const requests = receiver.spans.map(({ name }) => name).filter((name) => name.startsWith('GET'));

    expect(requests).toEqual(['GET /external/survey-campaigns']);
    expect([...receiver.paths]).toEqual(['/v1/traces']);
  });
});

describe('without the variables of OpenTelemetry', () => {
  it.each([
    ['none is set', {}, false],
    ['an endpoint is set', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }, true],
    [
      'it is disabled',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_SDK_DISABLED: 'true' },
      false,
    ],
    [
      'no exporter is wanted',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'none' },
      false,
    ],
  ])('loads OpenTelemetry or not, when %s', (_, variables, isLoaded) => {
    const tracing = join(workspaceRoot, 'libs/service-kit/src/tracing/tracing.ts');
    const script = `require(${JSON.stringify(tracing)}); console.log(Object.keys(require.cache).join('\\n')); process.exit()`;
    const loaded = execFileSync(process.execPath, ['-r', typescriptRegister, '-e', script], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...variables },
    });

    expect(loaded.includes('@opentelemetry')).toBe(isLoaded);
  });
});
