import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { services } from '@cxp/openapi/services';
import { loadSettings, settingNames } from '@cxp/service-kit';
import { workspaceRoot } from '@cxp/testing';
import { AreaManifests } from '../src/area-manifests';
import { isPinned } from '../src/image-reference';
import { manifestProblems } from '../src/kubernetes-schema';

const areas = [
  { area: 'webchat', app: 'webchat-gateway', routes: ['/external', '/websocket'] },
  { area: 'contact-center', app: 'contact-center-export', routes: ['/external'] },
  { area: 'survey', app: 'survey-api', routes: ['/external'] },
];

const readme = readFileSync(join(workspaceRoot, 'docker/README.md'), 'utf8');

/** What an operator puts into an area's secret. */
const secrets = {
  DATABASE_URL: 'postgres://cxp:secret@database/cxp',
  REDIS_URL: 'redis://redis:6379',
  WEBCHAT_SESSION_TOKEN_KEYS: 'first:0123456789abcdef0123456789abcdef',
  ACCOUNT_SESSION_SECRET: '0123456789abcdef0123456789abcdef',
};

/** Longer than any request may take, so that none under way is cut off. */
const LONGEST_REQUEST_SECONDS = 30;

describe.each(areas)('docker/kubernetes/$area', ({ area, app, routes }) => {
  let manifests: AreaManifests;
  const settings = services.find((service) => service.app === app)!.settings;

  beforeAll(async () => {
    manifests = await AreaManifests.render(area);
  });

  it('is everything that the area needs, and no secret', () => {
    expect(manifests.all.map(({ kind }) => kind).sort()).toEqual([
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
        expect(amounts).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
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

  it('takes from its secret what docker/README.md says to put into it', () => {
    const references = manifests.containers.flatMap(({ env = [] }) =>
      env.map((variable) => variable.valueFrom!.secretKeyRef!),
    );
    const keys = [...new Set(references.map(({ key }) => key))];
    const told = new RegExp(`\\| \`${area}-secrets\`: (.*)\\|`).exec(readme)![1]!;

    expect(new Set(references.map(({ name }) => name))).toEqual(new Set([`${area}-secrets`]));
    expect([...told.matchAll(/`(\w+)`/g)].map(([, key]) => key)).toEqual(keys);
  });

  it('migrates in a job, and starts no pod before that', () => {
    const [migration] = manifests.get('Job').spec!.template.spec!.containers;
    const [waiting] = manifests.servicePod.initContainers!;

    expect([migration!.command, waiting!.command]).toEqual([
      ['node', 'migrate.js'],
      ['node', 'migrate.js', '--wait'],
    ]);
    for (const container of [migration!, waiting!]) {
      expect(manifests.environmentOf(container, secrets)).toEqual({ DATABASE_URL: secrets.DATABASE_URL });
    }
  });

  it('leads outside requests to the service, and only those to its public paths', () => {
    const ingress = manifests.get('Ingress').spec!;
    const service = manifests.get('Service');
    const paths = ingress.rules!.flatMap(({ http }) => http!.paths);

    expect(ingress.defaultBackend).toBeUndefined();
    expect(paths.map(({ path }) => path).sort()).toEqual(routes);
    for (const { pathType, backend } of paths) {
      expect(pathType).toBe('Prefix');
      expect(backend.service).toEqual({
        name: service.metadata.name,
        port: { name: service.spec!.ports![0]!.name },
      });
    }
    expect(ingress.tls!.flatMap(({ hosts }) => hosts)).toEqual(ingress.rules!.map(({ host }) => host));
    expect(manifests.serviceContainer.ports).toContainEqual({
      name: service.spec!.ports![0]!.targetPort,
      containerPort: 3000,
    });
  });

  it('selects its own pods everywhere', () => {
    const deployment = manifests.get('Deployment').spec!;
    const labels = deployment.template.metadata!.labels!;
    const selectors = [
      deployment.selector.matchLabels!,
      manifests.get('Service').spec!.selector!,
      manifests.get('PodDisruptionBudget').spec!.selector!.matchLabels!,
      manifests.get('NetworkPolicy').spec!.podSelector.matchLabels!,
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

  it('asks the health checks that a service has', () => {
    const { startupProbe, livenessProbe, readinessProbe } = manifests.serviceContainer;
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe!.httpGet!.path);

    expect(paths).toEqual(['/health/live', '/health/live', '/health/ready']);
  });
});

it('leads the websocketUrl of a session to webchat-gateway', async () => {
  const manifests = await AreaManifests.render('webchat');
  const { WEBCHAT_WEBSOCKET_URL } = manifests.environmentOf(manifests.serviceContainer, secrets);
  const url = new URL(WEBCHAT_WEBSOCKET_URL!);
  const [rule] = manifests.get('Ingress').spec!.rules!;

  expect(rule!.host).toBe(url.host);
  expect(rule!.http!.paths.map(({ path }) => path)).toContain(url.pathname);
});

it('notices a field that Kubernetes does not have, and a missing one', async () => {
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
