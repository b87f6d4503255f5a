import { subscribe } from 'node:diagnostics_channel';
import { trace } from '@opentelemetry/api';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK } from '@opentelemetry/sdk-node';

/** Requests of machines that look after the service. */
const OPERATIONAL = /^\/(health|metrics)\b/;

/**
 * Traces requests and what they ask of PostgreSQL and Redis; where they go is configured by OpenTelemetry's own variables.
 * No personal data gets into a span: queries are left out, SQL has placeholders, and of Redis commands the name is kept.
 */
export function startTracing(): void {
  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url }) => OPERATIONAL.test(url ?? ''),
        startIncomingSpanHook: () => ({ 'url.query': '' }),
      }),
      new PgInstrumentation({ requireParentSpan: true }),
      new IORedisInstrumentation({ requireParentSpan: true, dbStatementSerializer: (command) => command }),
    ],
    // Metrics are asked for at /metrics, and logs are read from standard output.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  nameSpansByRoute();
  // Once the service has closed everything; the last spans are sent, which keeps the process for that long.
  process.once('beforeExit', () => void sdk.shutdown().catch(() => undefined));
}

/** Fastify tells the route of each request: `POST /external/sessions` says more than `POST`. */
function nameSpansByRoute(): void {
  subscribe('tracing:fastify.request.handler:start', (message) => {
    const { request, route } = message as { request: { method: string }; route: { url?: string } };
    const span = trace.getActiveSpan();
    if (!span || !route.url) return;
    span.updateName(`${request.method} ${route.url}`);
    span.setAttribute('http.route', route.url);
  });
}
