import { Registry, type Metric } from 'prom-client';
import type { TestService } from '@cxp/service-kit/testing';
import { SERVICES, webchat } from '@cxp/system-tests/service-under-test';
import { expressions, namesIn } from './monitoring';

/** What Prometheus itself adds, its discovery of pods, and kube-state-metrics. */
const OF_PROMETHEUS = {
  metrics: ['up', 'kube_cronjob_created', 'kube_cronjob_status_last_successful_time'],
  labels: ['instance', 'job', 'namespace', 'pod', 'app_kubernetes_io_part_of', 'exported_service', 'cronjob'],
};

describe('docker/monitoring', () => {
  let services: TestService[];
  let exported: Map<string, Set<string>>;

  beforeAll(async () => {
    // webchat has its metrics of the delivery only if it delivers, all have that of standbys only if one is expected.
    const synchronous = { POSTGRES_SYNCHRONOUS: 'expected' };
    const delivery = { CONTACT_CENTER_RECORDS_URL: 'http://contact-center.invalid/internal/records' };
    services = await Promise.all(
      SERVICES.map((service) =>
        service.startInProcess({ ...synchronous, ...(service === webchat && delivery) }),
      ),
    );
    exported = new Map(
      services
        .flatMap(({ app }) => app.get(Registry).getMetricsAsArray() as unknown as Metric[])
        .flatMap(series),
    );
    for (const metric of OF_PROMETHEUS.metrics) exported.set(metric, new Set());
  });

  afterAll(() => Promise.all(services.map((service) => service.stop())));

  it.each(expressions)('$name asks for metrics and labels that the services export', ({ expr }) => {
    const names = namesIn(expr);
    const metrics = names.filter((name) => exported.has(name));
    const labels = metrics.flatMap((metric) => [...exported.get(metric)!]);

    expect(metrics).not.toEqual([]);
    const known = [...metrics, ...labels, ...OF_PROMETHEUS.labels];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('distinguishes the services by a label of all their series', async () => {
    const names = await Promise.all(
      services.map(async ({ url }) => {
        const metrics = await fetch(`${url}/metrics`).then((answer) => answer.text());
        const ofSeries = metrics.split('\n').filter((line) => line && !line.startsWith('#'));
        return [...new Set(ofSeries.map((line) => /[{,]service="([^"]+)"/.exec(line)?.[1]))];
      }),
    );

    expect(names).toEqual([['webchat-gateway'], ['contact-center-export'], ['survey-api']]);
  });
});

/** The series of a metric by name, with their labels. */
function series(metric: Metric): [string, Set<string>][] {
  const { name, labelNames, type } = metric as unknown as {
    name: string;
    labelNames: string[];
    type: string;
  };
  const labels = [...labelNames, 'service'];
  if (type !== 'histogram') return [[name, new Set(labels)]];
  return [
    [`${name}_bucket`, new Set([...labels, 'le'])],
    [`${name}_sum`, new Set(labels)],
    [`${name}_count`, new Set(labels)],
  ];
}
