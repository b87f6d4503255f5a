import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { sentStatus, whenClosed } from '../http/request-log';

/** Totals that have a counter's name; the gauges by type stay. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** A registry per service, because tests run several services in one process. */
export function createRegistry(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  return registry;
}

/** Seconds, from OpenTelemetry's convention for `http.server.request.duration`. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Measures requests by method, route pattern and status, by OpenTelemetry's convention: without a route there is no
 * `http_route`. Counts 429s by limit.
 */
export function measureRequests(fastify: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the request to the end of its answer',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  const active = new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests whose headers are here and whose answers have not ended',
    labelNames: ['http_request_method', 'http_route'],
    registers: [registry],
  });
  const limited = new Counter({
    name: 'rate_limited_requests_total',
    help: 'Requests that were answered 429, by the setting that was exceeded; at_once: too many that have not ended',
    labelNames: ['limit'],
    registers: [registry],
  });
  fastify.addHook('onRequest', ({ method, routeOptions: { url = '' } }, _reply, done) => {
    active.inc({ http_request_method: method, http_route: url });
    done();
  });
  whenClosed(fastify, (request, reply) => {
    const { method } = request;
    const route = request.routeOptions.url;
    active.dec({ http_request_method: method, http_route: route ?? '' });
    const status = sentStatus(reply);
    const seconds = reply.elapsedTime / 1_000;
    duration.observe(
      { http_request_method: method, http_route: route ?? '', http_response_status_code: status },
      seconds,
    );
    if (request.exceededLimit) limited.inc({ limit: request.exceededLimit });
  });
}
