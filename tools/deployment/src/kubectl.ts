import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { findOnPath, unpackedDebianPackage, workspaceRoot } from '@cxp/local-servers';

/** A Kubernetes object, as far as everything has it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
}

/** What `kubectl apply -k docker/kubernetes/<area>` would send to a cluster. */
export async function renderArea(area: string): Promise<Manifest[]> {
  const directory = join(workspaceRoot, 'docker/kubernetes', area);
  const { stdout, stderr } = await promisify(execFile)(await kubectl(), ['kustomize', directory]);
  // It warns of fields that go.
  if (stderr) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

/** The kubectl on the PATH, else Debian's, unpacked under `.local/` on first use. */
async function kubectl(): Promise<string> {
  const installed = findOnPath('kubectl');
  if (installed) return installed;
  const root = await unpackedDebianPackage('kubernetes-client').catch((error: Error) => {
    throw new Error(`kubectl is missing, and ${error.message}: apt install kubernetes-client`);
  });
  return join(root, 'usr/bin/kubectl');
}
