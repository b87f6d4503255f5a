import { execFile, execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
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
