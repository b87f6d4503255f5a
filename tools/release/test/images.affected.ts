import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { checkEdge } from '@cxp/cxp/edge-check.command';
import { KNOWN_ROUTES } from '@cxp/system-tests/known-routes';
import { answersOk, workspaceRoot } from '@cxp/testing/local-servers';
import { services as allServices } from '@cxp/areas/services';
import {
  createTestDatabase,
  createTestRedis,
  eventually,
  needs,
  type TestDatabase,
  type TestRedis,
} from '@cxp/testing';
import { dockerfile, readSource } from '../src/build-images';
import { readComposeFile, type ComposeService } from '../src/compose';
import { canRunContainers, Containers, GRACE_SECONDS, REQUESTED_MIB } from './containers';
import { startRegistry, type ImageRegistry } from './image-registry';

const run = promisify(execFile);
const source = readSource();
const { services } = readComposeFile({ CXP_VERSION: source.version });

/** What an image may add to its base. */
const MAX_IMAGE_BYTES = 60_000_000;

const SIZE_OF_FILES = `
  const { readdirSync, statSync } = require('node:fs');
  const files = readdirSync('.', { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  console.log(files.reduce((sum, { parentPath, name }) => sum + statSync(parentPath + '/' + name).size, 0));`;

const [, baseImage] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)!;

interface ImageConfiguration {
  readonly User: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Cmd: readonly string[];
}

/**
 * `npm run images` with a real builder, the oldest that is supported, on a base image of Debian's packages and this machine's Node.js: no
 * registry of images is needed. Each image runs with the environment and secrets of Compose, and with the limits of the manifests.
 */
needs('rights to run containers', canRunContainers()).describe('docker/Dockerfile in containers', () => {
  const secrets = mkdtempSync(join(tmpdir(), 'cxp-secrets-'));
  let registry: ImageRegistry;
  let printed: string;
  let containers: Containers;
  let database: TestDatabase;
  let redis: TestRedis;
  let stores: Readonly<Record<string, string>>;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
    const [shell, ...flags] = services.secrets!.entrypoint!;
    await run(shell!, [...flags, ...services.secrets!.command!], { cwd: secrets });
    chmodSync(secrets, 0o755);
    registry = await startRegistry();
    containers = await Containers.prepare(registry.host);
    await containers.makeNodeImage(`docker.io/library/${baseImage}`);
    const build = ['tools/release/bin/build-images.js', 'buildah', '--registry', `${registry.host}/acme`];
    const options = { cwd: workspaceRoot, env: containers.environment, maxBuffer: 100_000_000 };
    ({ stdout: printed } = await run(process.execPath, build, options));
    const [DATABASE_URL, REDIS_URL] = await Promise.all(
      [database.url, redis.url].map((url) => containers.reach(url)),
    );
    stores = { DATABASE_URL: DATABASE_URL!, REDIS_URL: REDIS_URL! };
  }, 900_000);

  afterAll(async () => {
    await Promise.all([database?.drop(), redis?.close()]);
    await registry?.stop();
    await containers?.remove();
    rmSync(secrets, { recursive: true });
  }, 60_000);

  /** Its environment and secrets; only the addresses of the stores differ. */
  function optionsOf({ environment: { DATABASE_URL_FILE: _, ...settings } = {} }: ComposeService): string[] {
    const variables = Object.entries({ ...settings, ...stores });
    return [
      '--volume',
      `${secrets}:/run/cxp:ro`,
      ...variables.flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ];
  }

  const cxp = (...parameters: string[]) =>
    containers.toEnd(
      optionsOf(services.cxp!),
      services.cxp!.image,
      ...services.cxp!.entrypoint!,
      ...parameters,
    );

  async function configurationOf({ image }: ComposeService): Promise<ImageConfiguration> {
    const inspected = await containers.buildah('inspect', '--type', 'image', image);
    return (JSON.parse(inspected) as { Docker: { config: ImageConfiguration } }).Docker.config;
  }

  it('makes secrets of its own at the first start', () => {
    expect(readdirSync(secrets).sort()).toEqual([
      'database-password',
      'database-url',
      'service-token-keys',
      'session-token-keys',
      'webhook-secret-keys',
    ]);
  });

  it.each(allServices)(
    'builds $app, which adds little to its base, migrates, becomes ready, answers, takes little memory and stops',
    async ({ app }) => {
      const service = services[app]!;
      expect(await configurationOf(service)).toMatchObject({
        User: '1000:1000',
        Labels: {
          'org.opencontainers.image.title': app,
          'org.opencontainers.image.version': source.version,
          'org.opencontainers.image.revision': source.commit ?? 'unknown',
        },
      });
      const inside = (...command: string[]) => containers.toEnd([], service.image, ...command);
      const bundle = await inside('node', '-p', "JSON.stringify(require('./package.json'))");
      expect(JSON.parse(bundle)).toMatchObject({ commit: source.commit ?? 'unknown' });
      expect(Number(await inside('node', '-e', SIZE_OF_FILES))).toBeLessThan(MAX_IMAGE_BYTES);

      const name = Object.keys(service.depends_on!).find((other) => other.endsWith('-migration'))!;
      const { image, command, ...migration } = services[name]!;
      const waiting = containers.toEnd(optionsOf({ image, ...migration }), image, ...command!, '--wait');
      await containers.toEnd(optionsOf({ image, ...migration }), image, ...command!);
      await waiting;

      const running = await containers.start(optionsOf(service), image);
      await eventually(() => answersOk(`${running.url}/health/ready`), 60_000);
      const [route] = KNOWN_ROUTES.filter(
        ({ service: { name }, path }) => name === app && path.startsWith('/external'),
      );
      const [metrics, documents, call] = await Promise.all([
        fetch(`${running.url}/metrics`).then((answer) => answer.text()),
        fetch(`${running.url}/docs/openapi.json`),
        fetch(running.url + route!.path, { method: route!.method }),
      ]);
      expect(metrics).toContain(`service="${app}"`);
      expect([documents.status, call.status]).toEqual([200, 401]);
      expect(await running.memory()).toBeLessThan(REQUESTED_MIB);

      // Nothing stands between: what a client does not read waits in the service, and the kernel holds little of it.
      const url = new URL(running.url);
      const checks = await checkEdge(url, { internal: running.url });
      expect(checks.find(({ name }) => name === 'whole answers')).toMatchObject({ result: 'red' });

      const stopped = Date.now();
      expect(await running.stop()).toBe(0);
      expect(Date.now() - stopped).toBeLessThan(GRACE_SECONDS * 1_000);
    },
    240_000,
  );

  it('pushes them, and prints the part of an overlay that takes them by digest', async () => {
    const { images } = parse(printed.slice(printed.lastIndexOf('images:'))) as {
      images: { name: string; newName: string; digest: string }[];
    };
    const names = [...allServices.map(({ app }) => app), 'cxp'];
    expect(images.map(({ name }) => name).sort()).toEqual(names.map((name) => `cxp/${name}`).sort());
    for (const { name, newName, digest } of images) {
      const repository = name.replace('cxp/', 'acme/');
      expect(newName).toBe(`${registry.host}/${repository}`);
      const manifest = await fetch(`http://${registry.host}/v2/${repository}/manifests/${digest}`);
      expect(manifest.status).toBe(200);
    }
  });

  it('builds the command line, which creates an organization', async () => {
    const printed = await cxp('organization', 'create', '--id', 'acme', '--name', 'Acme', '--json');
    expect(JSON.parse(printed)).toMatchObject({ id: 'acme' });
  });
});
