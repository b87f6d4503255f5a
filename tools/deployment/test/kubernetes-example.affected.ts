import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { parseAllDocuments } from 'yaml';
import { services } from '@cxp/system-tests/services';
import { workspaceRoot } from '@cxp/local-servers';
import { needs } from '@cxp/testing';
import { AreaManifests } from '../src/area-manifests';
import { readComposeFile } from '../src/compose';
import { kubectl, renderManifests, type Manifest } from '../src/kubectl';
import { manifestProblems } from '../src/kubernetes-schema';

const { describe: withKubectl } = needs('kubectl', kubectl);

/** Annotations of Argo CD. */
const ARGO = 'argocd.argoproj.io';

const readme = readFileSync(join(workspaceRoot, 'docker/README.md'), 'utf8');

withKubectl('docker/kubernetes/cxp', () => {
  let manifests: AreaManifests;
  let pod: IPodSpec;

  beforeAll(async () => {
    manifests = await AreaManifests.render('cxp');
    pod = manifests.get('Job').spec!.template.spec!;
  });

  it('is a job and its network policy, valid by the schemas of Kubernetes', async () => {
    expect(manifests.all.map(({ kind }) => kind)).toEqual(['Job', 'NetworkPolicy']);
    expect((await Promise.all(manifests.all.map(manifestProblems))).flat()).toEqual([]);
    const { podSelector } = manifests.get('NetworkPolicy').spec!;
    expect(manifests.get('Job').spec!.template.metadata!.labels).toMatchObject(podSelector.matchLabels!);
  });

  it('ends by itself and leaves nothing, so that it can be applied again', () => {
    expect(manifests.get('Job').spec).toMatchObject({
      activeDeadlineSeconds: 3600,
      ttlSecondsAfterFinished: 0,
      backoffLimit: 0,
      template: { spec: { restartPolicy: 'Never' } },
    });
  });

  it('keeps to the restricted pod security standard, and writes in /tmp only', () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          workingDir: '/tmp',
          volumeMounts: [{ mountPath: '/tmp' }],
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      ],
    });
  });

  it('has the image of the command line, and only the secret that docker/README.md says to make', () => {
    const [{ image, env }] = pod.containers as [IContainer];
    const [, secret, keys] = /create secret generic (cxp-secrets) .*<<END\n([^]*?)\n *END$/m.exec(readme)!;

    expect(image).toBe(readComposeFile().services.cxp!.image);
    expect(env!.map(({ name, valueFrom }) => [valueFrom!.secretKeyRef!.name, name])).toEqual(
      [...keys!.matchAll(/^ *(\w+)=/gm)].map(([, key]) => [secret, key]),
    );
  });
});

withKubectl('docker/kubernetes/example', () => {
  const source = join(workspaceRoot, 'docker/kubernetes');
  const valuesFile = 'example/cluster/cluster.env';
  const readValues = () => readFileSync(join(source, valuesFile), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  let manifests: AreaManifests;

  beforeAll(async () => {
    manifests = await AreaManifests.render('example');
  });

  it('is all areas in one namespace, valid, with images by digest', async () => {
    const alone = await Promise.all(services.map(({ area }) => renderManifests(area)));

    expect(manifests.all).toHaveLength(alone.flat().length);
    expect(new Set(manifests.all.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['cxp']));
    expect((await Promise.all(manifests.all.map(manifestProblems))).flat()).toEqual([]);
    const images = JSON.stringify(manifests.all).match(/"image":"[^"]*"/g)!;
    expect(images).toHaveLength(3 * services.length);
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}"$/.test(image))).toEqual([]);
  });

  it('needs nothing of its own but the values of cluster.env and the images', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cxp-example-'));
    cpSync(source, directory, { recursive: true });
    const names = [...readValues()].map(([, name]) => name!);
    const own = (name: string) => `${name.toLowerCase().replaceAll('_', '-')}.acme.org`;
    writeFileSync(join(directory, valuesFile), names.map((name) => `${name}=${own(name)}`).join('\n'));
    const imagesFile = join(directory, 'example/cluster/kustomization.yaml');
    const imagesText = readFileSync(imagesFile, 'utf8');
    writeFileSync(imagesFile, imagesText.replaceAll('registry.example.com', 'registry.acme.org'));
    const text = JSON.stringify([
      await renderManifests(join(directory, 'example')),
      await renderManifests(join(directory, 'example/cxp')),
    ]);
    rmSync(directory, { recursive: true });

    for (const name of names) expect(text).toContain(`"${own(name)}"`);
    for (const [, , value] of readValues()) expect(text).not.toContain(`"${value}"`);
    expect(text).not.toContain('example.com');
  });

  it('lets Argo CD migrate before it applies the rest, and each of both make a job of the same name anew', () => {
    const waveOf = ({ metadata }: Manifest) => Number(metadata.annotations?.[`${ARGO}/sync-wave`] ?? 0);
    const first = manifests.all.filter((manifest) => waveOf(manifest) < 0);
    expect(new Set(first.map((manifest) => `${waveOf(manifest)} ${manifest.kind}`))).toEqual(
      new Set(['-2 NetworkPolicy', '-1 Job']),
    );
    for (const { metadata } of manifests.list('Job')) {
      expect(metadata.annotations).toMatchObject({
        [`${ARGO}/hook`]: 'Sync',
        [`${ARGO}/hook-delete-policy`]: 'BeforeHookCreation',
        'kustomize.toolkit.fluxcd.io/force': 'enabled',
      });
    }
  });

  it.each([
    ['argocd.yaml', ['Application'], 'spec.source.path'],
    ['flux.yaml', ['GitRepository', 'Kustomization'], 'spec.path'],
  ])('%s is valid and applies this folder', async (file, kinds, path) => {
    const text = readFileSync(join(source, 'example', file), 'utf8');
    const objects = parseAllDocuments(text).map((document) => document.toJS() as Manifest);

    expect(objects.map(({ kind }) => kind)).toEqual(kinds);
    expect((await Promise.all(objects.map(manifestProblems))).flat()).toEqual([]);
    expect(objects.at(-1)).toHaveProperty(
      path,
      expect.stringMatching(/^(\.\/)?docker\/kubernetes\/example$/),
    );
  });

  it('notices a field that Argo CD and Flux do not have', async () => {
    const application = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'cxp' },
    };
    expect(await manifestProblems(application)).toEqual([expect.stringContaining('spec')]);
  });
});
