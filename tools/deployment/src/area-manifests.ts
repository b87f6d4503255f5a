import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { INetworkPolicyPeer } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPeer';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { IService } from 'kubernetes-models/v1/Service';
import { renderManifests, type Manifest } from './kubectl';

interface Kinds {
  readonly ConfigMap: IConfigMap;
  readonly Deployment: IDeployment;
  readonly HorizontalPodAutoscaler: IHorizontalPodAutoscaler;
  readonly Ingress: IIngress;
  readonly Job: IJob;
  readonly NetworkPolicy: INetworkPolicy;
  readonly PodDisruptionBudget: IPodDisruptionBudget;
  readonly Service: IService;
}

/** The objects of one area: one of each kind, but an ingress for each host and a network policy for each component. */
export class AreaManifests {
  private constructor(readonly all: readonly Manifest[]) {}

  static async render(area: string): Promise<AreaManifests> {
    return new AreaManifests(await renderManifests(area));
  }

  get<Kind extends keyof Kinds>(kind: Kind): Kinds[Kind] & Manifest {
    const [manifest, ...others] = this.list(kind);
    if (!manifest || others.length > 0) throw new Error(`there is not one ${kind}`);
    return manifest;
  }

  list<Kind extends keyof Kinds>(kind: Kind): readonly (Kinds[Kind] & Manifest)[] {
    return this.all.filter((one) => one.kind === kind) as (Kinds[Kind] & Manifest)[];
  }

  /** What a component's pods may call: for each port the namespaces and networks. */
  egress(component: 'api' | 'migration'): Record<string, string[]> {
    const { labels } = (component === 'api' ? this.get('Deployment') : this.get('Job')).spec!.template
      .metadata!;
    const rules = this.list('NetworkPolicy')
      .filter(({ spec }) =>
        Object.entries(spec!.podSelector.matchLabels!).every(([k, v]) => labels![k] === v),
      )
      .flatMap(({ spec }) => spec!.egress ?? []);
    return Object.fromEntries(
      rules.flatMap(({ ports, to }) => ports!.map(({ port }) => [port, to!.map(describePeer)])),
    ) as Record<string, string[]>;
  }

  get servicePod(): IPodSpec {
    return this.get('Deployment').spec!.template.spec!;
  }

  get serviceContainer(): IContainer {
    return this.servicePod.containers[0]!;
  }

  get pods(): readonly IPodSpec[] {
    return [this.servicePod, this.get('Job').spec!.template.spec!];
  }

  get containers(): readonly IContainer[] {
    return this.pods.flatMap(({ initContainers = [], containers }) => [...initContainers, ...containers]);
  }

  /** The variables of a container, those of secrets as the given samples. */
  environmentOf(
    { env = [], envFrom = [] }: IContainer,
    secrets: Readonly<Record<string, string>>,
  ): Record<string, string> {
    const settings = this.get('ConfigMap');
    const shared = envFrom.map(({ configMapRef }) =>
      configMapRef?.name === settings.metadata.name ? settings.data : {},
    );
    const own = env.map(({ name, value, valueFrom }) => [
      name,
      value ?? secrets[valueFrom!.secretKeyRef!.key]!,
    ]);
    return Object.assign({}, ...shared, Object.fromEntries(own)) as Record<string, string>;
  }
}

/** @throws for pods by their labels: kustomize adds the area's name to these. */
function describePeer({ ipBlock, namespaceSelector, podSelector }: INetworkPolicyPeer): string {
  if (podSelector?.matchLabels) throw new Error('a network policy names pods by matchLabels');
  if (podSelector)
    return podSelector.matchExpressions!.map(({ key, values }) => `${key}=${values!.join(',')}`).join();
  if (ipBlock) return [ipBlock.cidr, ...(ipBlock.except ?? [])].join(' but ');
  return Object.entries(namespaceSelector!.matchLabels!)
    .map(([label, value]) => `${label}=${value}`)
    .join();
}
