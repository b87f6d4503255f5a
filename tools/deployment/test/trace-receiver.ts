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

interface Traces {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Span[] }[] }[];
}

export interface TraceReceiver {
  /** What makes a service send its spans here, at once. */
  readonly environment: Readonly<Record<string, string>>;
  readonly spans: readonly Span[];
  /** Every path that was sent to. */
  readonly paths: ReadonlySet<string>;
  readonly close: () => void;
}

/** As much of an OpenTelemetry collector as it takes to see the spans: OTLP over HTTP, in JSON. */
export async function startTraceReceiver(): Promise<TraceReceiver> {
  const spans: Span[] = [];
  const paths = new Set<string>();
  const server = createServer((request, response) => {
    paths.add(request.url!);
    void json(request).then((body) => {
      const { resourceSpans = [] } = body as Partial<Traces>;
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans).flatMap((scope) => scope.spans));
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
    paths,
    close: () => void server.close(),
  };
}
