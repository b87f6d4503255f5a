import { services } from '@cxp/system-tests/services';
import { needs } from '@cxp/testing';
import { AreaManifests } from './area-manifests';
import { kubectl, renderManifests, type Manifest } from '../src/kubectl';
import { manifestProblems } from './kubernetes-schema';

const { it: itRenders } = needs('kubectl', kubectl);

interface PodMonitor extends Manifest {
  readonly spec: {
    readonly jobLabel: string;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints: readonly { readonly port: string; readonly relabelings: unknown }[];
  };
}

itRenders('ships monitors and rules of the Prometheus Operator that find the pods of all areas', async () => {
  const [monitor, rule, ...others] = await renderManifests('monitoring');
  expect([monitor!.kind, rule!.kind, others]).toEqual(['PodMonitor', 'PrometheusRule', []]);
  expect([monitor!, rule!].flatMap(manifestProblems)).toEqual([]);

  const { jobLabel, selector, podMetricsEndpoints } = (monitor as PodMonitor).spec;
  // Pods that wait for their migration.
  expect(podMetricsEndpoints[0]!.relabelings).toEqual([
    { sourceLabels: ['__meta_kubernetes_pod_phase'], regex: 'Pending', action: 'drop' },
  ]);
  for (const { area } of services) {
    const manifests = await AreaManifests.render(area);
    const { labels } = manifests.get('Deployment').spec!.template.metadata!;
    expect(labels).toMatchObject(selector.matchLabels);
    // The job of the alert ServiceDown.
    expect(labels![jobLabel]).toBe('cxp');
    expect(manifests.serviceContainer.ports!.map(({ name }) => name)).toContain(podMetricsEndpoints[0]!.port);
  }
});
