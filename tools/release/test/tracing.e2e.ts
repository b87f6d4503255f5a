import { startService, type ServiceProcess } from '@cxp/testing/local-servers';
import { createTestDatabase, createTestRedis } from '@cxp/testing';
import { accessDatabase } from '@cxp/auth-headers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { migrate, openDatabase } from '@cxp/storage';
import { surveyDatabase } from '@cxp/survey-api/database';
import { startTraceReceiver, type TraceReceiver } from './trace-receiver';

const requestId = 'order-4711';
const traceId = '0af7651916cd43dd8448eb211c80319c';

/** Runs a service that sends to a receiver, and asks it for campaigns. */
async function askTracedService(variables: Readonly<Record<string, string>>) {
  const database = await createTestDatabase([accessDatabase, surveyDatabase], migrate);
  const redis = await createTestRedis();
  const receiver = await startTraceReceiver();
  const service = await startService({
    entry: 'dist/apps/survey-api/main.js',
    portVariable: 'SURVEY_PORT',
    env: {
      ...receiver.environment,
      ...variables,
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      SHUTDOWN_DRAIN_SECONDS: '0',
    },
  });
  const dataSource = await openDatabase(database.url, [accessDatabase]);
  const { headers } = await issueTestToken(dataSource);
  await dataSource.destroy();
  const { status } = await fetch(`${service.url}/external/survey-campaigns?search=confidential`, {
    headers: { ...headers, 'x-request-id': requestId, traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  });
  await fetch(`${service.url}/external/unknown`);
  await service.stop(); // which sends what is left
  await redis.close();
  await database.drop();
  receiver.close();
  return { receiver, service, headers, status };
}

describe('traces of a service', () => {
  let receiver: TraceReceiver;
  let service: ServiceProcess;
  let headers: Readonly<Record<string, string>>;
  let status: number;

  beforeAll(async () => {
    ({ receiver, service, headers, status } = await askTracedService({}));
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

    expect(requests).toEqual(['GET /external/survey-campaigns', 'GET']);
    expect([...receiver.paths]).toEqual(['/v1/traces']);
  });
});

describe('metrics of a service, with OTEL_METRICS_EXPORTER=otlp', () => {
  it("have the names of OpenTelemetry's convention, and come alone when no traces are wanted", async () => {
    const { receiver } = await askTracedService({
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_TRACES_EXPORTER: 'none',
    });
    expect([...receiver.paths]).toEqual(['/v1/metrics']);
    const { unit, histogram } = receiver.metrics.findLast(
      ({ name }) => name === 'http.server.request.duration',
    )!;
    expect(unit).toBe('s');
    expect(histogram!.dataPoints).toHaveLength(2);
    const [found, unknown] = histogram!.dataPoints.map(({ attributes }) =>
      Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown])),
    );
    expect(found).toMatchObject({
      'http.request.method': 'GET',
      'http.route': '/external/survey-campaigns',
      'http.response.status_code': 200,
    });
    expect(unknown).toMatchObject({ 'http.request.method': 'GET', 'http.response.status_code': 404 });
    expect(unknown).not.toHaveProperty('http.route');
    expect(histogram!.dataPoints[0]!.explicitBounds).toEqual([
      0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]);
  });
});
