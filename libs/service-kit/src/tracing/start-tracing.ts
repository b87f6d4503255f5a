import { subscribe } from 'node:diagnostics_channel';
import { context, trace } from '@opentelemetry/api';
import { getRPCMetadata } from '@opentelemetry/core';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import type { FastifyInstance } from 'fastify';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { PROBES } from '../http/request-log';
import { describeLogs } from '../logging/log-context';

export interface WantedSignals {
  readonly traces: boolean;
  readonly metrics: boolean;
}

/**
 * Sends spans and durations of requests, PostgreSQL and Redis, as OpenTelemetry's variables say. Spans hold no personal data:
 * no queries, SQL with placeholders, names of Redis commands. A COPY, whose text has values, gets no span: the instrumentation
 * does not end it.
 */
export function startTracing({ traces, metrics }: WantedSignals): void {
  const sdk = new NodeSDK({
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url }) => PROBES.test(url ?? ''),
        startIncomingSpanHook: () => ({ 'url.query': '' }),
        // A hint's span would show the URL of its endpoint.
        ignoreOutgoingRequestHook: ({ headers = {} }) => 'webhook-id' in headers,
      }),
      new PgInstrumentation({ requireParentSpan: true }),
      new IORedisInstrumentation({ requireParentSpan: true, dbStatementSerializer: (command) => command }),
    ],
    // Overrides the SDK's default of sending everything to localhost.
    ...(!traces && { spanProcessors: [] }),
    ...(!metrics && { metricReaders: [] }),
    // Logs go to standard output.
    logRecordProcessors: [],
  });
  sdk.start();
  describeSpans();
  describeLogs(() => {
    const span = trace.getActiveSpan()?.spanContext();
    // OpenTelemetry's names for log formats.
    return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
  });
  // Runs after the service has closed; sending the last spans delays the exit.
  process.once('beforeExit', () => void sdk.shutdown().catch(() => undefined));
}

/**
 * Names spans and metrics by route (`POST /external/sessions` instead of `POST`), and adds the request id of the logs to spans.
 */
function describeSpans(): void {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRequest', ({ id, routeOptions: { url } }, _reply, done) => {
      // OpenTelemetry's name for the answer's header.
      trace.getActiveSpan()?.setAttribute('http.response.header.x-request-id', [id]);
      const metadata = getRPCMetadata(context.active());
      if (metadata && url) metadata.route = url;
      done();
    });
  });
}
