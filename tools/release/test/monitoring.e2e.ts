import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry, type Metric } from 'prom-client';
import { parse } from 'yaml';
import type { TestService } from '@cxp/service-kit/testing';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { SERVICES, webchat } from '@cxp/system-tests/service-under-test';
import { readExpression } from './promql';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}
interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
interface Adapter {
  readonly rules: { readonly custom: readonly { readonly seriesQuery: string }[] };
}

const directory = join(workspaceRoot, 'docker/monitoring');
const dashboard = JSON.parse(readFileSync(join(directory, 'dashboard.json'), 'utf8')) as Dashboard;
const alerts = parse(readFileSync(join(directory, 'alerts.yaml'), 'utf8')) as Alerts;
const adapter = parse(readFileSync(join(directory, 'prometheus-adapter.yaml'), 'utf8')) as Adapter;
const expressions = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ name: `panel ${title}`, expr })),
  ),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ name: `alert ${alert}`, expr }))),
  ...adapter.rules.custom.map(({ seriesQuery }) => ({ name: 'the autoscaler', expr: seriesQuery })),
];

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
    const { metrics, labels } = readExpression(expr);

    expect(metrics).not.toEqual([]);
    expect(metrics.filter((metric) => !exported.has(metric))).toEqual([]);
    const known = metrics.flatMap((metric) => [...exported.get(metric)!]);
    expect(labels.filter((label) => ![...known, ...OF_PROMETHEUS.labels].includes(label))).toEqual([]);
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
