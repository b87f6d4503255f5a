import { execFile, execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import type { IHorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import type { ICronJob } from 'kubernetes-models/batch/v1/CronJob';
import type { IJob } from 'kubernetes-models/batch/v1/Job';
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import type { INetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { INetworkPolicySpec } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicySpec';
import type { INetworkPolicyPeer } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicyPeer';
import type { IPodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { IService } from 'kubernetes-models/v1/Service';
import { findOnPath, workspaceRoot } from '@cxp/testing/local-servers';

/** A Kubernetes object, as far as everything has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** The kubectl on the PATH, if it knows the fields of the manifests, as 1.25 and newer do. Debian 12 has none. */
export const kubectl = newEnough(findOnPath('kubectl'));

/**
 * What `kubectl apply -k docker/kubernetes/<area>` would send to a cluster.
 * @param area or any other directory
 * @throws if kubectl warns of anything
 */
export async function renderManifests(area: string): Promise<Manifest[]> {
  const directory = resolve(workspaceRoot, 'docker/kubernetes', area);
  const { stdout, stderr } = await promisify(execFile)(kubectl!, ['kustomize', directory]);
  if (stderr) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

function newEnough(path: string | undefined): string | undefined {
  if (!path) return undefined;
  const version = execFileSync(path, ['version', '--client', '--output=json'], { encoding: 'utf8' });
  const { clientVersion } = JSON.parse(version) as { clientVersion: { minor: string } };
  return parseInt(clientVersion.minor, 10) >= 25 ? path : undefined;
}

interface Kinds {
  readonly ConfigMap: IConfigMap;
  readonly CronJob: ICronJob;
  readonly Deployment: IDeployment;
  readonly HTTPRoute: IHTTPRoute;
  readonly HorizontalPodAutoscaler: IHorizontalPodAutoscaler;
  readonly Ingress: IIngress;
  readonly Job: IJob;
  readonly NetworkPolicy: INetworkPolicy;
  readonly PodDisruptionBudget: IPodDisruptionBudget;
  readonly Service: IService;
}

/** The objects of one area: one of each kind, but a network policy for each component. */
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

  /** What pods with these labels may call: for each port the namespaces and networks. */
  egress(labels: Readonly<Record<string, string>>): Record<string, string[]> {
    const rules = this.list('NetworkPolicy')
      .filter(({ spec }) => selects(spec!.podSelector!, labels))
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

  /** The variables of a container. @throws if there is no such secret */
  environmentOf({ envFrom = [] }: IContainer, secrets: Secrets): Record<string, string> {
    const sources = envFrom.map(({ configMapRef, secretRef }) => {
      if (secretRef) return secrets[secretRef.name!] ?? fail(`there is no secret ${secretRef.name}`);
      return this.list('ConfigMap').find(({ metadata }) => metadata.name === configMapRef!.name)!.data;
    });
    return Object.assign({}, ...sources) as Record<string, string>;
  }
}

/** What operators make by `npx cxp secrets`, by the names of the secrets. */
export type Secrets = Readonly<Record<string, Readonly<Record<string, string>>>>;

function fail(message: string): never {
  throw new Error(message);
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: NonNullable<INetworkPolicySpec['podSelector']>,
  labels: Readonly<Record<string, string>>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values!.includes(labels[key]!))
  );
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
