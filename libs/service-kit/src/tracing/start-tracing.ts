import { subscribe } from 'node:diagnostics_channel';
import { trace } from '@opentelemetry/api';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import type { FastifyInstance } from 'fastify';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { PROBES } from '../http/probes';
import { describeLogs } from '../logging/log-context';

/**
 * Traces requests and what they ask of PostgreSQL and Redis; where they go is configured by OpenTelemetry's own variables.
 * No personal data gets into a span: queries are left out, SQL has placeholders, and of Redis commands the name is kept. A COPY, whose
 * text has values, gets no span: the instrumentation does not end it.
 */
export function startTracing(): void {
  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url }) => PROBES.test(url ?? ''),
        startIncomingSpanHook: () => ({ 'url.query': '' }),
        // A hint has no other headers than its own, and a span would have the URL of its endpoint.
        ignoreOutgoingRequestHook: ({ headers = {} }) => 'webhook-id' in headers,
      }),
      new PgInstrumentation({ requireParentSpan: true }),
      new IORedisInstrumentation({ requireParentSpan: true, dbStatementSerializer: (command) => command }),
    ],
    // Metrics are asked for at /metrics, and logs are read from standard output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  describeSpans();
  describeLogs(() => {
    const span = trace.getActiveSpan()?.spanContext();
    // As OpenTelemetry names them in logs of other formats.
    return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
  });
  // Once the service has closed everything; the last spans are sent, which keeps the process for that long.
  process.once('beforeExit', () => void sdk.shutdown().catch(() => undefined));
}

/** Names spans by the route (`POST /external/sessions` instead of `POST`), and gives them the request id of the log lines. */
function describeSpans(): void {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRequest', ({ id, method, routeOptions: { url } }, _reply, done) => {
      const span = trace.getActiveSpan();
      // The header of the answer, as OpenTelemetry names it.
      span?.setAttribute('http.response.header.x-request-id', [id]);
      if (url) span?.updateName(`${method} ${url}`).setAttribute('http.route', url);
      done();
    });
  });
}
