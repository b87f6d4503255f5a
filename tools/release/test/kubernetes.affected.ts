import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IContainer } from 'kubernetes-models/v1/Container';
import { newSecrets } from '@cxp/cxp/secrets.command';
import { describedServices as services } from '@cxp/areas/described-services';
import { MAX_BODY_BYTES } from '@cxp/records';
import { loadSettings, settingNames } from '@cxp/service-kit';
import { CONNECTIONS_BESIDE_POOL } from '@cxp/storage';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { needs } from '@cxp/testing';
import { AreaManifests, kubectl, renderManifests, type Manifest } from './area-manifests';
import { manifestProblems } from './kubernetes-schema';
import { autoscalerQueries, namesIn } from './monitoring';

const { describe: withKubectl, it: itRenders } = needs('kubectl', kubectl);

const areas = [
  { area: 'webchat', app: 'webchat-gateway', ownPaths: ['/websocket'] },
  { area: 'contact-center', app: 'contact-center-export', ownPaths: [] },
  { area: 'survey', app: 'survey-api', ownPaths: ['/s'] },
];

/** What the gateway leads to a service, as rules of `HTTPRoute` and `Ingress` name it. */
const pathsOf = (ownPaths: readonly string[]) =>
  [
    ...['/external', '/docs', ...ownPaths].map((path) => `Prefix ${path}`),
    'Exact /llms.txt',
    'Exact /',
  ].sort();

/** What an operator has made. */
const { secrets } = newSecrets('database/cxp', 'redis://redis:6379');

/** A job holds two, and one for its look at what is pending; a pod that starts holds one to wait for it. */
const MIGRATION_CONNECTIONS = 4;

/** An update does not wait until the pods that it ends have gone, each of which lives for 15 to 60 seconds. */
const ENDING_PODS = 4;

/** For superusers (PostgreSQL keeps 3), monitoring and backups. */
const RESERVED_CONNECTIONS = 19;

/** Longer than any request may take, so that none under way is cut off. */
const LONGEST_REQUEST_SECONDS = 30;

/** A Middleware of Traefik is compared whole. */
const problemsOf = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => kind !== 'Middleware').flatMap(manifestProblems);

withKubectl.each(areas)('docker/kubernetes/$area', ({ area, app, ownPaths }) => {
  let manifests: AreaManifests;
  const settings = services.find((service) => service.app === app)!.settings;

  beforeAll(async () => {
    manifests = await AreaManifests.render(area);
  });

  it('is valid by the published schemas, and has no secret', () => {
    expect(problemsOf(manifests.all)).toEqual([]);
    expect(manifests.all.filter(({ kind }) => kind === 'Secret')).toEqual([]);
  });

  it('gives the service every setting that it needs, and none that it does not have', () => {
    const environment = manifests.environmentOf(manifests.serviceContainer, secrets);
    const unknown = Object.keys(environment).filter((name) => !settingNames(settings).includes(name));

    expect(loadSettings(settings, environment).DATABASE_URL).toMatch(/_service:\w+@database\/cxp$/);
    expect(unknown.filter((name) => !name.startsWith('OTEL_'))).toEqual([]);
    expect(environment).not.toHaveProperty('MIGRATION_DATABASE_URL');
  });

  it('migrates once for each version, in a job that stays with the logs of its attempts, and starts no pod before that', () => {
    const { metadata, spec } = manifests.get('Job');
    const [migration] = spec!.template.spec!.containers;
    const [waiting] = manifests.servicePod.initContainers!;
    const version = manifests.serviceContainer.image!.split(':')[1]!;

    expect([migration!.command, waiting!.command]).toEqual([
      ['node', 'migrate.js'],
      ['node', 'migrate.js', '--wait'],
    ]);
    expect(manifests.environmentOf(migration!, secrets).MIGRATION_DATABASE_URL).toMatch(/_owner:/);
    expect(manifests.environmentOf(waiting!, secrets)).not.toHaveProperty('MIGRATION_DATABASE_URL');
    expect(metadata.name).toBe(`${area}-migration-${version.replaceAll('.', '-')}`);
    expect(spec!.ttlSecondsAfterFinished).toBeUndefined();
    expect(spec!.template.spec!.restartPolicy).toBe('Never');
  });

  it('lets its pods call what its settings may name, where the operator says that it is, and nobody call a migration', () => {
    const dns = ['kubernetes.io/metadata.name=kube-system', '169.254.20.10/32'];
    const stores = ['cxp/stores=true', '192.0.2.0/24', '2001:db8::/32'];
    const any = { 53: dns, 5432: stores, 6432: stores, 6379: stores, 26379: stores };
    const labelsOf = (kind: 'Deployment' | 'Job') => manifests.get(kind).spec!.template.metadata!.labels!;
    expect(manifests.egress(labelsOf('Job'))).toEqual(any);
    expect(manifests.egress(labelsOf('Deployment'))).toEqual({
      ...any,
      4318: ['kubernetes.io/metadata.name=monitoring'],
      ...(area !== 'webchat' && {
        443: [expect.stringMatching(/^0.0.0.0\/0 but 10.0.0.0\/8/), '2000::/3'],
      }),
      ...(area === 'webchat' && { internal: ['app.kubernetes.io/name=contact-center-export'] }),
    });

    const [api, pods] = manifests.list('NetworkPolicy').map(({ spec }) => spec!);
    const [http, internal] = manifests.serviceContainer.ports!.map(({ name }) => name);
    expect(api!.ingress!.map(({ from, ports }) => [from!.length, ports!.map(({ port }) => port)])).toEqual([
      [2, [http]],
      [1, [http, internal]],
      ...(area === 'contact-center' ? [[1, [internal]]] : []),
    ]);
    expect(pods).toMatchObject({ policyTypes: ['Ingress', 'Egress'] });
    expect(pods!.ingress).toBeUndefined();
  });

  it('leads outside requests to the service, and only those to its public paths', () => {
    const { hostnames, rules } = manifests.get('HTTPRoute').spec;
    const service = manifests.get('Service');
    const [http] = service.spec!.ports!;
    const matches = rules!.flatMap((rule) => rule.matches!);

    expect(hostnames).toEqual([`${area}.example.com`]);
    expect(
      matches.map(({ path }) => `${path!.type!.replace('PathPrefix', 'Prefix')} ${path!.value}`).sort(),
    ).toEqual(pathsOf(ownPaths));
    for (const { backendRefs } of rules!)
      expect(backendRefs).toEqual([{ name: service.metadata.name, port: http!.port }]);
    expect(manifests.serviceContainer.ports).toContainEqual({ name: http!.targetPort, containerPort: 3000 });
    const settings = manifests.environmentOf(manifests.serviceContainer, secrets);
    for (const url of [settings.WEBCHAT_WEBSOCKET_URL, settings.SURVEY_PUBLIC_URL])
      if (url) expect(new URL(url).host).toBe(hostnames![0]);
  });

  it('answers /internal at a port of its own, which no route leads to', () => {
    const { INTERNAL_PORT } = manifests.environmentOf(manifests.serviceContainer, secrets);
    const internal = manifests.serviceContainer.ports!.find(({ name }) => name === 'internal');

    expect(String(internal!.containerPort)).toBe(INTERNAL_PORT);
    expect(manifests.get('Service').spec!.ports!.map(({ targetPort }) => targetPort)).toEqual([
      'http',
      'internal',
    ]);
  });

  it('selects its own pods everywhere', () => {
    const deployment = manifests.get('Deployment').spec!;
    const labels = deployment.template.metadata!.labels!;
    const selectors = [
      deployment.selector.matchLabels!,
      manifests.get('Service').spec!.selector!,
      manifests.get('PodDisruptionBudget').spec!.selector!.matchLabels!,
      manifests.list('NetworkPolicy')[0]!.spec!.podSelector!.matchLabels!,
      ...manifests.servicePod.topologySpreadConstraints!.map(
        ({ labelSelector }) => labelSelector!.matchLabels!,
      ),
    ];

    for (const selector of selectors) {
      expect(selector).toMatchObject({ 'app.kubernetes.io/name': app });
      expect(labels).toMatchObject(selector);
    }
    expect(manifests.get('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(
      manifests.get('Deployment').metadata.name,
    );
  });

  it('replaces pods without a gap, one at a time, and lets them finish', () => {
    const { SHUTDOWN_DRAIN_SECONDS } = manifests.environmentOf(manifests.serviceContainer, secrets);
    const { minReplicas, behavior } = manifests.get('HorizontalPodAutoscaler').spec;

    expect(manifests.get('Deployment').spec!.strategy!.rollingUpdate!.maxUnavailable).toBe(0);
    expect(minReplicas).toBeGreaterThan(1);
    expect(behavior!.scaleDown!.policies).toEqual([
      { type: 'Pods', value: 1, periodSeconds: expect.any(Number) },
    ]);
    expect(manifests.servicePod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      Number(SHUTDOWN_DRAIN_SECONDS) + LONGEST_REQUEST_SECONDS,
    );
  });
});

withKubectl('docker/kubernetes/example', () => {
  const source = join(workspaceRoot, 'docker/kubernetes');
  const file = 'example/kustomization.yaml';
  const text = readFileSync(join(source, file), 'utf8');
  const values = [...text.matchAll(/^ {6}- ([A-Z_]+)=(.*)$/gm)].map(
    ([, name, value]) => [name!, value!] as const,
  );
  const gateways = ['envoy-gateway', 'traefik', 'ingress'];
  let manifests: AreaManifests;

  beforeAll(async () => {
    manifests = await AreaManifests.render('example');
  });

  /** The example after a change of its only file. */
  async function renderChanged(change: (text: string) => string): Promise<AreaManifests> {
    const directory = mkdtempSync(join(tmpdir(), 'cxp-example-'));
    cpSync(source, directory, { recursive: true });
    writeFileSync(join(directory, file), change(text));
    try {
      return await AreaManifests.render(join(directory, 'example'));
    } finally {
      rmSync(directory, { recursive: true });
    }
  }
  const renderWith = (component: string) =>
    renderChanged((text) => text.replace(`# - ../components/${component}`, `- ../components/${component}`));
  const renderBehind = (gateway: string) =>
    renderChanged((text) => text.replace('components/envoy-gateway', `components/${gateway}`));

  it('is all areas in one namespace, with images by digest', () => {
    const namespaces = manifests.all
      .filter(({ kind }) => kind !== 'ClientTrafficPolicy')
      .map(({ metadata }) => metadata.namespace);
    expect(new Set(namespaces)).toEqual(new Set(['cxp']));
    const images = JSON.stringify(manifests.all).match(/"image":"[^"]*cxp\/[^"]*"/g)!;
    expect(images).toHaveLength(3 * areas.length + 2);
    expect(images.filter((image) => !/@sha256:[0-9a-f]{64}"$/.test(image))).toEqual([]);
  });

  it.each(gateways)('is valid by the published schemas with %s', async (gateway) => {
    expect(problemsOf((await renderBehind(gateway)).all)).toEqual([]);
  });

  it.each(gateways)(
    'needs nothing of its own but the values at its beginning and the images, with %s',
    async (gateway) => {
      const own = (name: string) => `${name.toLowerCase().replaceAll('_', '-')}.acme.org`;
      const changed = await renderChanged((text) => {
        const withValues = values.reduce(
          (result, [name, value]) => result.replace(`- ${name}=${value}\n`, `- ${name}=${own(name)}\n`),
          text,
        );
        return withValues
          .replaceAll('registry.example.com', 'registry.acme.org')
          .replace('components/envoy-gateway', `components/${gateway}`);
      });
      const rendered = JSON.stringify(changed.all);
      const unused = gateway === 'ingress' ? ['GATEWAY', 'GATEWAY_NAMESPACE'] : [];

      for (const [name, value] of values) {
        if (!unused.includes(name)) expect(rendered).toContain(`"${own(name)}"`);
        expect(rendered).not.toContain(`"${value}"`);
      }
      expect(rendered).not.toContain('example.com');
    },
  );

  // https://doc.traefik.io/traefik/reference/routing-configuration/http/middlewares/overview/
  it('has whole bodies and bounds the requests of an address with traefik', async () => {
    const middleware = (name: string, spec: object) => ({
      apiVersion: 'traefik.io/v1alpha1',
      kind: 'Middleware',
      metadata: expect.objectContaining({ name, namespace: 'cxp' }),
      spec,
    });
    const { all } = await renderBehind('traefik');
    expect(all.filter(({ kind }) => kind === 'Middleware')).toEqual([
      middleware('at-once', { inFlightReq: { amount: 1000, sourceCriterion: { ipStrategy: { depth: 0 } } } }),
      middleware('whole-bodies', { buffering: { maxRequestBodyBytes: MAX_BODY_BYTES } }),
    ]);
  });

  it('can do without the Gateway API: ingresses lead to the same paths, without an annotation', async () => {
    const behind = await renderBehind('ingress');
    expect(behind.list('HTTPRoute')).toEqual([]);
    for (const { area, ownPaths } of areas) {
      const ingress = behind.list('Ingress').find(({ metadata }) => metadata.name === `${area}-api`)!;
      const [rule, ...others] = ingress.spec!.rules!;

      expect([ingress.metadata.annotations, others]).toEqual([undefined, []]);
      expect(rule!.http!.paths.map(({ path, pathType }) => `${pathType} ${path}`).sort()).toEqual(
        pathsOf(ownPaths),
      );
      for (const { backend } of rule!.http!.paths)
        expect(backend.service).toEqual({ name: `${area}-api`, port: { name: 'http' } });
    }
  });

  it('keeps to the restricted pod security standard in all of its pods', () => {
    const pods = [...manifests.list('Deployment'), ...manifests.list('Job')].map(
      ({ spec }) => spec!.template,
    );
    const ofCronJobs = manifests.list('CronJob').map(({ spec }) => spec.jobTemplate.spec!.template);
    expect(ofCronJobs).toHaveLength(2);
    for (const { metadata, spec } of [...pods, ...ofCronJobs]) {
      // The network policy of all our pods selects it.
      expect(metadata!.labels).toMatchObject({ 'app.kubernetes.io/part-of': 'cxp' });
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext } of [...(spec!.initContainers ?? []), ...spec!.containers])
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });

  it('makes a dump each night with the secret that `npx cxp secrets` makes, and trusts the authorities that Node.js trusts', () => {
    const { spec } = manifests.list('CronJob').find(({ metadata }) => metadata.name === 'cxp-backup')!;
    const { containers, initContainers } = spec.jobTemplate.spec!.template.spec!;
    const [container] = containers as [IContainer];
    const { BACKUP_DATABASE_URL, ...others } = manifests.environmentOf(container, secrets);

    expect([BACKUP_DATABASE_URL, others]).toEqual([expect.stringMatching(/^postgres:\/\/cxp_backup:/), {}]);
    expect(container.command!.at(-1)).toContain('"$BACKUP_DATABASE_URL"');

    const file = join(mkdtempSync(join(tmpdir(), 'cxp-authorities-')), 'public.pem');
    const [, trusted] = /PGSSLROOTCERT=(\S+)/.exec(container.command!.at(-1)!)!;
    const [shell, ...parts] = initContainers![0]!.command!;
    execFileSync(shell!, [...parts.slice(0, -1), parts.at(-1)!.replace(trusted!, file)]);
    const certificates = readFileSync(file, 'utf8').split(/(?=-----BEGIN)/);
    expect(certificates.map((certificate) => new X509Certificate(certificate).issuer)).toContainEqual(
      expect.stringContaining('ISRG Root X1'),
    );
  });

  it('trusts an own authority in every container of ours with the component of docker/tls.md', async () => {
    const changed = await renderWith('authorities');
    const templates = [
      ...[...changed.list('Deployment'), ...changed.list('Job')].map(({ spec }) => spec!.template),
      ...changed.list('CronJob').map(({ spec }) => spec.jobTemplate.spec!.template),
    ];

    expect(problemsOf(changed.all)).toEqual([]);
    for (const { spec } of templates) {
      expect(spec!.volumes).toContainEqual({ name: 'tls', configMap: { name: 'authorities' } });
      for (const { name, env, volumeMounts } of [...(spec!.initContainers ?? []), ...spec!.containers]) {
        // It connects to nothing.
        if (name === 'authorities') continue;
        expect(env).toEqual([{ name: 'NODE_EXTRA_CA_CERTS', value: '/run/tls/ca.pem' }]);
        expect(volumeMounts).toContainEqual({ name: 'tls', mountPath: '/run/tls' });
      }
    }
  });

  it('scales webchat by sockets with the component of docker/README.md, as prometheus-adapter provides them', async () => {
    const changed = await renderWith('webchat-by-sockets');
    const autoscaler = changed
      .list('HorizontalPodAutoscaler')
      .find(({ metadata }) => metadata.name === 'webchat-api')!;

    expect(manifestProblems(autoscaler)).toEqual([]);
    expect(autoscaler.spec.metrics!.map(({ resource, pods }) => resource?.name ?? pods!.metric.name)).toEqual(
      ['cpu', ...autoscalerQueries.map((query) => namesIn(query)[0])],
    );
  });
});

itRenders('needs as many connections as docker/growing.md says for its replicas', async () => {
  const rendered = await Promise.all(areas.map(({ area }) => AreaManifests.render(area)));
  const neededFor = (maxReplicas: number | undefined) =>
    rendered.reduce((sum, manifests, place) => {
      const { settings } = services.find(({ app }) => app === areas[place]!.app)!;
      const environment = manifests.environmentOf(manifests.serviceContainer, secrets);
      const { DATABASE_POOL_SIZE } = loadSettings(settings, environment);
      const { maxSurge } = manifests.get('Deployment').spec!.strategy!.rollingUpdate!;
      const pods = maxReplicas ?? manifests.get('HorizontalPodAutoscaler').spec.maxReplicas;
      const ofPods = (pods + Number(maxSurge) + ENDING_PODS) * (DATABASE_POOL_SIZE + CONNECTIONS_BESIDE_POOL);
      return sum + ofPods + MIGRATION_CONNECTIONS;
    }, RESERVED_CONNECTIONS);

  const growing = readFileSync(join(workspaceRoot, 'docker/growing.md'), 'utf8');
  const [, documented] = /`max_connections` of at least (\d+)/.exec(growing)!;
  expect(Number(documented)).toBe(neededFor(undefined));
  const rows = [...growing.matchAll(/^\| (\d+) +\| (\d+) +\|$/gm)].map((row) => row.slice(1).map(Number));
  expect(rows).toEqual([2, 4, 10].map((replicas) => [replicas, neededFor(replicas)]));
  const pgbouncer = readFileSync(join(workspaceRoot, 'docker/pgbouncer.ini'), 'utf8');
  const [, accepted] = /^max_client_conn = (\d+)$/m.exec(pgbouncer)!;
  expect(Number(accepted)).toBeGreaterThanOrEqual(neededFor(undefined) - RESERVED_CONNECTIONS);
});

itRenders('notices a field that Kubernetes does not have, and a missing one', async () => {
  const manifests = await AreaManifests.render('webchat');
  const deployment = structuredClone(manifests.get('Deployment'));
  Object.assign(deployment.spec!.template.spec!.containers[0]!, { readynessProbe: {} });
  const service = structuredClone(manifests.get('Service'));
  Object.assign(service.spec!.ports![0]!, { port: undefined });
  const route = structuredClone(manifests.get('HTTPRoute'));
  Object.assign(route.spec.rules![0]!, { backends: [] });

  expect(problemsOf([deployment, service, route])).toEqual([
    'Deployment has no field /spec/template/spec/containers/0/readynessProbe',
    expect.stringContaining('must have required property port'),
    'HTTPRoute has no field /spec/rules/0/backends',
  ]);
});

// https://prometheus-operator.dev/docs/api-reference/api/
itRenders('ships monitors and rules of the Prometheus Operator that find the pods of all areas', async () => {
  const operated = (kind: string, spec: object) => ({
    apiVersion: 'monitoring.coreos.com/v1',
    kind,
    metadata: expect.objectContaining({ name: 'cxp' }),
    spec,
  });
  const jobLabel = 'app.kubernetes.io/part-of';
  const matchLabels = { [jobLabel]: 'cxp', 'app.kubernetes.io/component': 'api' };
  const port = 'http';
  // Pods that wait for their migration.
  const relabelings = [{ sourceLabels: ['__meta_kubernetes_pod_phase'], regex: 'Pending', action: 'drop' }];
  const podMetricsEndpoints = [{ port, path: '/metrics', interval: '15s', relabelings }];
  expect(await renderManifests('monitoring')).toEqual([
    operated('PodMonitor', { jobLabel, selector: { matchLabels }, podMetricsEndpoints }),
    // Its groups are those of the alerts, which promtool checks.
    operated('PrometheusRule', { groups: expect.any(Array) }),
  ]);
  for (const { area } of areas) {
    const manifests = await AreaManifests.render(area);
    const { labels } = manifests.get('Deployment').spec!.template.metadata!;
    // The job of the alert ServiceDown is `cxp`, by the label of `jobLabel`.
    expect(labels).toMatchObject(matchLabels);
    expect(manifests.serviceContainer.ports!.map(({ name }) => name)).toContain(port);
  }
});
