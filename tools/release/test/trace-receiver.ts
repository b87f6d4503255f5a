import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

export interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly attributes: Span['attributes'];
      readonly count: number;
      readonly explicitBounds: readonly number[];
    }[];
  };
}

interface Metrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
  }[];
}

interface Traces {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

export interface TraceReceiver {
  /** What makes a service send its spans here, at once. */
  readonly environment: Readonly<Record<string, string>>;
  readonly spans: readonly Span[];
  readonly metrics: readonly Metric[];
  /** Every path that was sent to. */
  readonly paths: ReadonlySet<string>;
  readonly close: () => void;
}

/** As much of an OpenTelemetry collector as it takes to see spans and metrics: OTLP over HTTP, in JSON. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: Span[] = [];
  const metrics: Metric[] = [];
  const paths = new Set<string>();
  const server = createServer((request, response) => {
    paths.add(request.url!);
    void json(request).then((body) => {
      const { resourceSpans = [], resourceMetrics = [] } = body as Partial<Traces & Metrics>;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans));
      const scopes = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics);
      metrics.push(...scopes.flatMap((scope) => scope.metrics));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    },
    spans,
    metrics,
    paths,
    close: () => void server.close(),
  };
}
