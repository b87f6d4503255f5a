import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { describedServices as services } from '@cxp/system-tests/definitions';
import { loadSettings, settingNames } from '@cxp/service-kit';
import { CONNECTIONS_BESIDE_POOL } from '@cxp/storage';
import { workspaceRoot } from '@cxp/local-servers';
import { needs } from '@cxp/testing';
import { AreaManifests } from '../src/area-manifests';
import { isPinned } from '../src/image-reference';
import { kubectl, renderManifests, type Manifest } from '../src/kubectl';
import { manifestProblems } from '../src/kubernetes-schema';
import { readExpression } from '../src/promql';

const { describe: withKubectl, it: itRenders } = needs('kubectl', kubectl);

const areas = [
  { area: 'webchat', app: 'webchat-gateway', routes: ['/external', '/websocket'] },
  { area: 'contact-center', app: 'contact-center-export', routes: ['/external'] },
  { area: 'survey', app: 'survey-api', routes: ['/external', '/s'] },
];

interface PodMonitor extends Manifest {
  readonly spec: {
    readonly jobLabel: string;
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints: readonly { readonly port: string; readonly relabelings: unknown }[];
  };
}

const readme = readFileSync(join(workspaceRoot, 'docker/README.md'), 'utf8');

/** What an operator puts into an area's secret. */
const secrets = {
  DATABASE_URL: 'postgres://webchat_service:secret@database/cxp',
  MIGRATION_DATABASE_URL: 'postgres://webchat_owner:secret@database/cxp',
  REDIS_URL: 'redis://redis:6379',
  WEBCHAT_SESSION_TOKEN_KEYS: 'first:0123456789abcdef0123456789abcdef',
  ACCOUNT_SESSION_SECRET: '0123456789abcdef0123456789abcdef',
  SERVICE_TOKEN_KEYS: 'first:0123456789abcdef0123456789abcdef',
  WEBHOOK_SECRET_KEYS: 'first:0123456789abcdef0123456789abcdef',
};

/** A job holds two, and one for its look at what is pending; a pod that starts holds one to wait for it. */
const MIGRATION_CONNECTIONS = 4;

/** An update does not wait until the pods that it ends have gone, each of which lives for 15 to 60 seconds. */
const ENDING_PODS = 4;

/** For superusers (PostgreSQL keeps 3), monitoring and backups. */
const RESERVED_CONNECTIONS = 19;

/** Longer than any request may take, so that none under way is cut off. */
const LONGEST_REQUEST_SECONDS = 30;

withKubectl.each(areas)('docker/kubernetes/$area', ({ area, app, routes }) => {
  let manifests: AreaManifests;
  const settings = services.find((service) => service.app === app)!.settings;

  beforeAll(async () => {
    manifests = await AreaManifests.render(area);
  });

  it('is everything that the area needs, and no secret', () => {
    expect([...new Set(manifests.all.map(({ kind }) => kind))].sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
  });

  it('is valid by the schemas of Kubernetes, without a field that they do not know', async () => {
    expect((await Promise.all(manifests.all.map(manifestProblems))).flat()).toEqual([]);
  });

  it('has names and labels of its own, so that areas can share a namespace', () => {
    for (const { metadata } of manifests.all) {
      expect(metadata.name).toMatch(new RegExp(`^${area}-`));
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/name': app });
    }
  });

  it('runs a pinned version of the app, with limits', () => {
    for (const { image, resources } of manifests.containers) {
      expect(image).toMatch(new RegExp(`^cxp/${app}:`));
      expect(isPinned(image!)).toBe(true);
      for (const amounts of [resources!.requests, resources!.limits]) {
        expect(Object.keys(amounts!)).toEqual(['cpu', 'ephemeral-storage', 'memory']);
      }
    }
  });

  it('keeps to the restricted pod security standard, with nothing to write to', () => {
    for (const { securityContext, automountServiceAccountToken } of manifests.pods) {
      expect(automountServiceAccountToken).toBe(false);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
    }
    for (const { securityContext } of manifests.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('gives the service every setting that it needs, and none that it does not have', () => {
    const environment = manifests.environmentOf(manifests.serviceContainer, secrets);
    const unknown = Object.keys(environment).filter((name) => !settingNames(settings).includes(name));

    expect(loadSettings(settings, environment)).toMatchObject({ DATABASE_URL: secrets.DATABASE_URL });
    expect(unknown.filter((name) => !name.startsWith('OTEL_'))).toEqual([]);
  });

  it('takes from its secrets what docker/README.md says to put into them', () => {
    const keys = new Map<string, Set<string>>();
    for (const { env = [] } of manifests.containers) {
      for (const { valueFrom } of env) {
        const { name, key } = valueFrom!.secretKeyRef!;
        keys.set(name!, (keys.get(name!) ?? new Set()).add(key));
      }
    }
    const row = new RegExp(`^\\| \`kubernetes/${area}\`.*$`, 'm').exec(readme)![0];
    const named = [...row.matchAll(/`([\w-]+-secrets)`: ((?:`\w+`(?: \(.*?\))?(?:, )?)+)/g)];

    expect(
      named.map(([, name, list]) => [name, [...list!.matchAll(/`(\w+)`/g)].map(([, key]) => key)]),
    ).toEqual([...keys].map(([name, list]) => [name, [...list]]));
    expect([...keys.keys()]).toEqual([`${area}-secrets`, `${area}-migration-secrets`]);
  });

  it('keeps the secret of the migration from the pods that serve', () => {
    const { initContainers = [], containers } = manifests.servicePod;
    const names = [...initContainers, ...containers].flatMap(({ env = [] }) =>
      env.map(({ valueFrom }) => valueFrom!.secretKeyRef!.name),
    );
    expect(new Set(names)).toEqual(new Set([`${area}-secrets`]));
  });

  it('migrates in a job, and starts no pod before that', () => {
    const [migration] = manifests.get('Job').spec!.template.spec!.containers;
    const [waiting] = manifests.servicePod.initContainers!;

    expect([migration!.command, waiting!.command]).toEqual([
      ['node', 'migrate.js'],
      ['node', 'migrate.js', '--wait'],
    ]);
    const { DATABASE_URL, MIGRATION_DATABASE_URL } = secrets;
    expect(manifests.environmentOf(waiting!, secrets)).toEqual({ DATABASE_URL });
    expect(manifests.environmentOf(migration!, secrets)).toEqual({ DATABASE_URL, MIGRATION_DATABASE_URL });
  });

  it('migrates once for each version, in a job that stays with the logs of its attempts', () => {
    const { metadata, spec } = manifests.get('Job');
    const version = manifests.serviceContainer.image!.split(':')[1]!;

    expect(metadata.name).toBe(`${area}-migration-${version.replaceAll('.', '-')}`);
    expect(spec!.ttlSecondsAfterFinished).toBeUndefined();
    expect(spec!.template.spec!.restartPolicy).toBe('Never');
  });

  it('lets its pods call what its settings may name, where the operator says that it is, and nobody call a migration', () => {
    const dns = ['kubernetes.io/metadata.name=kube-system', '169.254.20.10/32'];
    const stores = ['cxp/stores=true', '192.0.2.0/24', '2001:db8::/32'];
    const any = { 53: dns, 5432: stores, 6432: stores, 6379: stores, 26379: stores };
    expect(manifests.egress('migration')).toEqual(any);
    expect(manifests.egress('api')).toEqual({
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
    const ingresses = manifests.list('Ingress').map(({ spec }) => spec!);
    const service = manifests.get('Service');
    const rules = ingresses.flatMap((ingress) => ingress.rules!);
    const paths = rules.flatMap(({ http }) => http!.paths);

    expect(ingresses.map(({ ingressClassName }) => ingressClassName)).toEqual(ingresses.map(() => 'nginx'));
    expect(ingresses.map(({ defaultBackend }) => defaultBackend)).toEqual(ingresses.map(() => undefined));
    expect(paths.map(({ path }) => path).sort()).toEqual(routes);
    for (const { pathType, backend } of paths) {
      expect(pathType).toBe('Prefix');
      expect(backend.service).toEqual({
        name: service.metadata.name,
        port: { name: service.spec!.ports![0]!.name },
      });
    }
    expect(ingresses.flatMap((ingress) => ingress.tls!.flatMap(({ hosts }) => hosts))).toEqual(
      rules.map(({ host }) => host),
    );
    expect(manifests.serviceContainer.ports).toContainEqual({
      name: service.spec!.ports![0]!.targetPort,
      containerPort: 3000,
    });
  });

  it('answers /internal at a port of its own, which no ingress leads to', () => {
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
      manifests.list('NetworkPolicy')[0]!.spec!.podSelector.matchLabels!,
      ...manifests.servicePod.topologySpreadConstraints!.map(
        ({ labelSelector }) => labelSelector!.matchLabels!,
      ),
    ];

    for (const selector of selectors) {
      expect(selector).toMatchObject({ 'app.kubernetes.io/name': app });
      expect(labels).toMatchObject(selector);
    }
    expect(manifests.get('HorizontalPodAutoscaler').spec!.scaleTargetRef.name).toBe(
      manifests.get('Deployment').metadata.name,
    );
  });

  it('replaces pods without a gap and lets them finish', () => {
    const { SHUTDOWN_DRAIN_SECONDS } = manifests.environmentOf(manifests.serviceContainer, secrets);
    const { strategy } = manifests.get('Deployment').spec!;

    expect(strategy!.rollingUpdate!.maxUnavailable).toBe(0);
    expect(manifests.get('HorizontalPodAutoscaler').spec!.minReplicas).toBeGreaterThan(1);
    expect(manifests.servicePod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      Number(SHUTDOWN_DRAIN_SECONDS) + LONGEST_REQUEST_SECONDS,
    );
  });

  it('keeps the pods of a version on nodes of their own, and lets few end at a time', () => {
    const spread = manifests.servicePod.topologySpreadConstraints!;
    expect(spread.map(({ topologyKey, whenUnsatisfiable }) => [topologyKey, whenUnsatisfiable])).toEqual([
      ['kubernetes.io/hostname', 'DoNotSchedule'],
      ['topology.kubernetes.io/zone', 'ScheduleAnyway'],
    ]);
    const { scaleDown } = manifests.get('HorizontalPodAutoscaler').spec!.behavior!;
    expect(scaleDown!.policies).toEqual([{ type: 'Pods', value: 1, periodSeconds: expect.any(Number) }]);
  });

  it('asks the health checks that a service has', () => {
    const { startupProbe, livenessProbe, readinessProbe } = manifests.serviceContainer;
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe!.httpGet!.path);

    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
  });
});

itRenders('needs no more connections than docker/growing.md says', async () => {
  const budgets = await Promise.all(
    areas.map(async ({ area, app }) => {
      const manifests = await AreaManifests.render(area);
      const { settings } = services.find((service) => service.app === app)!;
      const environment = manifests.environmentOf(manifests.serviceContainer, secrets);
      const { DATABASE_POOL_SIZE } = loadSettings(settings, environment);
      const { maxSurge } = manifests.get('Deployment').spec!.strategy!.rollingUpdate!;
      const pods =
        manifests.get('HorizontalPodAutoscaler').spec!.maxReplicas + Number(maxSurge) + ENDING_PODS;
      return pods * (DATABASE_POOL_SIZE + CONNECTIONS_BESIDE_POOL) + MIGRATION_CONNECTIONS;
    }),
  );
  const needed = budgets.reduce((sum, budget) => sum + budget, RESERVED_CONNECTIONS);

  const growing = readFileSync(join(workspaceRoot, 'docker/growing.md'), 'utf8');
  const [, documented] = /`max_connections` of at least (\d+)/.exec(growing)!;
  expect(Number(documented)).toBe(needed);
  const pgbouncer = readFileSync(join(workspaceRoot, 'docker/pgbouncer.ini'), 'utf8');
  const [, accepted] = /^max_client_conn = (\d+)$/m.exec(pgbouncer)!;
  expect(Number(accepted)).toBeGreaterThanOrEqual(needed - RESERVED_CONNECTIONS);
});

itRenders('leads the websocketUrl of a session to webchat-gateway', async () => {
  const manifests = await AreaManifests.render('webchat');
  const { WEBCHAT_WEBSOCKET_URL } = manifests.environmentOf(manifests.serviceContainer, secrets);
  const url = new URL(WEBCHAT_WEBSOCKET_URL!);
  const [rule] = manifests.get('Ingress').spec!.rules!;

  expect(rule!.host).toBe(url.host);
  expect(rule!.http!.paths.map(({ path }) => path)).toContain(url.pathname);
});

itRenders(
  'leads the survey pages to survey-api on a host where nothing else of it can be reached',
  async () => {
    const manifests = await AreaManifests.render('survey');
    const { SURVEY_PUBLIC_URL } = manifests.environmentOf(manifests.serviceContainer, secrets);
    const hosts = manifests
      .list('Ingress')
      .flatMap(({ spec }) =>
        spec!.rules!.map(({ host, http }) => [host, http!.paths.map(({ path }) => path)]),
      );

    expect(Object.fromEntries(hosts)).toEqual({
      'api.example.com': ['/external'],
      [new URL(SURVEY_PUBLIC_URL!).host]: ['/s'],
    });
  },
);

itRenders(
  'scales webchat by sockets only with the component that says so, as prometheus-adapter provides them',
  async () => {
    const values = readFileSync(join(workspaceRoot, 'docker/monitoring/prometheus-adapter.yaml'), 'utf8');
    const { rules } = parse(values) as { rules: { custom: { seriesQuery: string }[] } };
    const overlay = realpathSync(mkdtempSync(join(tmpdir(), 'cxp-sockets-')));
    const webchat = relative(overlay, join(workspaceRoot, 'docker/kubernetes/webchat'));
    const kustomization = { resources: [webchat], components: [`${webchat}/sockets`] };
    writeFileSync(join(overlay, 'kustomization.yaml'), JSON.stringify(kustomization));
    const [alone, withSockets] = await Promise.all(
      ['webchat', overlay].map(async (directory) => {
        const manifest = (await AreaManifests.render(directory)).get('HorizontalPodAutoscaler');
        expect(await manifestProblems(manifest)).toEqual([]);
        return manifest.spec!.metrics!.map(({ resource, pods }) => resource?.name ?? pods!.metric.name);
      }),
    );
    rmSync(overlay, { recursive: true });

    expect(alone).toEqual(['cpu']);
    expect(withSockets).toEqual([
      'cpu',
      ...rules.custom.flatMap(({ seriesQuery }) => readExpression(seriesQuery).metrics),
    ]);
  },
);

itRenders('notices a field that Kubernetes does not have, and a missing one', async () => {
  const manifests = await AreaManifests.render('webchat');
  const deployment = structuredClone(manifests.get('Deployment'));
  Object.assign(deployment.spec!.template.spec!.containers[0]!, { readynessProbe: {} });
  const service = structuredClone(manifests.get('Service'));
  Object.assign(service.spec!.ports![0]!, { port: undefined });

  expect(await manifestProblems(deployment)).toEqual([
    'Deployment has no field /spec/template/spec/containers/0/readynessProbe',
  ]);
  expect(await manifestProblems(service)).toEqual([
    expect.stringContaining('must have required property port'),
  ]);
});

itRenders('ships monitors and rules of the Prometheus Operator that find the pods of all areas', async () => {
  const [monitor, rule, ...others] = await renderManifests('monitoring');
  expect([monitor!.kind, rule!.kind, others]).toEqual(['PodMonitor', 'PrometheusRule', []]);
  expect([...(await manifestProblems(monitor!)), ...(await manifestProblems(rule!))]).toEqual([]);

  const { jobLabel, selector, podMetricsEndpoints } = (monitor as PodMonitor).spec;
  // Pods that wait for their migration.
  expect(podMetricsEndpoints[0]!.relabelings).toEqual([
    { sourceLabels: ['__meta_kubernetes_pod_phase'], regex: 'Pending', action: 'drop' },
  ]);
  for (const { area } of areas) {
    const manifests = await AreaManifests.render(area);
    const { labels } = manifests.get('Deployment').spec!.template.metadata!;
    expect(labels).toMatchObject(selector.matchLabels);
    // The job of the alert ServiceDown.
    expect(labels![jobLabel]).toBe('cxp');
    expect(manifests.serviceContainer.ports!.map(({ name }) => name)).toContain(podMetricsEndpoints[0]!.port);
  }
});
