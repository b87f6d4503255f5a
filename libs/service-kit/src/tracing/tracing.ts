/**
 * The first import of a `main.ts`: OpenTelemetry, if its standard variables ask for it, instruments what is loaded later.
 * Without them nothing of it is loaded.
 */
import { processEnvironment } from '../settings/environment';

const { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT } = processEnvironment;
const { OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER, OTEL_SDK_DISABLED } = processEnvironment;

const hasTraceTarget = Boolean(
  OTEL_EXPORTER_OTLP_ENDPOINT || OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || OTEL_TRACES_EXPORTER,
);
const traces = hasTraceTarget && OTEL_TRACES_EXPORTER !== 'none';
const metrics = Boolean(OTEL_METRICS_EXPORTER) && OTEL_METRICS_EXPORTER !== 'none';

if ((traces || metrics) && OTEL_SDK_DISABLED !== 'true') {
  // An import would load it always, or too late.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { startTracing } = require('./start-tracing') as typeof import('./start-tracing');
  startTracing({ traces, metrics });
}
