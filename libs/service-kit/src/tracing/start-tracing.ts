import { subscribe } from 'node:diagnostics_channel';
import { context, trace } from '@opentelemetry/api';
import { getRPCMetadata } from '@opentelemetry/core';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { IORedisInstrumentation } from '@opentelemetry/instrumentation-ioredis';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import type { FastifyInstance } from 'fastify';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { PROBES } from '../http/probes';
import { describeLogs } from '../logging/log-context';

export interface WantedSignals {
  readonly traces: boolean;
  readonly metrics: boolean;
}

/**
 * Traces requests and what they ask of PostgreSQL and Redis, and sends their durations as metrics. Where they go is configured by
 * OpenTelemetry's own variables.
 * No personal data gets into a span: queries are left out, SQL has placeholders, and of Redis commands the name is kept. A COPY, whose
 * text has values, gets no span: the instrumentation does not end it.
 */
export function startTracing({ traces, metrics }: WantedSignals): void {
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
    // What is not given here is as the variables say; without them the SDK would send everything to this machine.
    ...(!traces && { spanProcessors: [] }),
    ...(!metrics && { metricReaders: [] }),
    // Logs are read from standard output.
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

/** Gives spans and metrics the route (`POST /external/sessions` instead of `POST`), and spans the request id of the log lines. */
function describeSpans(): void {
  subscribe('fastify.initialization', (message) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRequest', ({ id, routeOptions: { url } }, _reply, done) => {
      // The header of the answer, as OpenTelemetry names it.
      trace.getActiveSpan()?.setAttribute('http.response.header.x-request-id', [id]);
      const metadata = getRPCMetadata(context.active());
      if (metadata && url) metadata.route = url;
      done();
    });
  });
}
