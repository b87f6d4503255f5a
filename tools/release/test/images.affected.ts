import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { freePort, startGuarded, waitUntilReady, workspaceRoot } from '@cxp/testing/local-servers';
import { services as allServices } from '@cxp/areas/services';
import { createTestDatabase, createTestRedis, needs, type TestDatabase, type TestRedis } from '@cxp/testing';
import { dockerfile, readSource } from '../src/build-images';
import { readComposeFile, type ComposeService } from '../src/compose';
import { canMount, DebianBuildah } from './debian-buildah';
import { startRegistry, type ImageRegistry } from './image-registry';

const run = promisify(execFile);
const source = readSource();
const { services } = readComposeFile({ CXP_VERSION: source.version });

/** Node.js then refuses to write any file, as the read-only root file system of a container does. */
const READ_ONLY = [
  process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
  '--allow-fs-read=*',
];

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
 * `npm run images` with a real builder, the oldest that is supported, on a base image of this machine's Node.js: no registry of images is
 * needed. Each image runs as Compose runs it: its environment, its secrets, its migration, its health check. Only the addresses of the
 * databases and of the service differ.
 */
needs('rights to mount', canMount()).describe('docker/Dockerfile with docker/compose.yaml', () => {
  const secrets = mkdtempSync(join(tmpdir(), 'cxp-secrets-'));
  let registry: ImageRegistry;
  let printed: string;
  let buildah: DebianBuildah;
  let database: TestDatabase;
  let redis: TestRedis;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
    const [shell, ...flags] = services.secrets!.entrypoint!;
    await run(shell!, [...flags, ...services.secrets!.command!], { cwd: secrets });
    chmodSync(secrets, 0o755);
    registry = await startRegistry();
    buildah = await DebianBuildah.prepare(registry.host);
    await buildah.makeNodeImage(`docker.io/library/${baseImage}`);
    const build = ['tools/release/bin/build-images.js', 'buildah', '--registry', `${registry.host}/acme`];
    const options = { cwd: workspaceRoot, env: buildah.environment, maxBuffer: 100_000_000 };
    ({ stdout: printed } = await run(process.execPath, build, options));
  }, 900_000);

  afterAll(async () => {
    await Promise.all([database?.drop(), redis?.close()]);
    await registry?.stop();
    buildah?.remove();
    rmSync(secrets, { recursive: true });
  });

  /** A container of the service's image, without rights. buildah 1.28 can't run two commands in one container that has volumes. */
  async function containerOf(service: ComposeService) {
    const container = await buildah.run('from', '--pull-never', service.image);
    const command = [buildah.command, 'run', '--cap-drop', 'ALL'] as const;
    return {
      inside: (...parts: string[]) => output([...command, container, '--', ...parts]),
      commandLine(
        { environment: { DATABASE_URL_FILE: _, ...settings } = {} }: ComposeService,
        parts: readonly string[],
        changes: Readonly<Record<string, string>> = {},
      ): [string, ...string[]] {
        const stores = { DATABASE_URL: database.url, REDIS_URL: redis.url };
        const variables = Object.entries({ ...settings, ...stores, ...changes });
        const flags = variables.flatMap(([name, value]) => ['--env', `${name}=${value}`]);
        return [...command, '--volume', `${secrets}:/run/cxp:ro`, ...flags, container, '--', ...parts];
      },
    };
  }

  async function configurationOf({ image }: ComposeService): Promise<ImageConfiguration> {
    const inspected = await buildah.run('inspect', '--type', 'image', image);
    return (JSON.parse(inspected) as { Docker: { config: ImageConfiguration } }).Docker.config;
  }

  async function output([program, ...parameters]: [string, ...string[]]): Promise<string> {
    return (await run(program, parameters)).stdout;
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
    'builds $app, which adds little to its base, migrates, becomes healthy, answers and stops',
    async ({ app, portVariable }) => {
      const service = services[app]!;
      const image = await configurationOf(service);
      expect(image).toMatchObject({
        User: '1000:1000',
        Labels: {
          'org.opencontainers.image.title': app,
          'org.opencontainers.image.version': source.version,
          'org.opencontainers.image.revision': source.commit ?? 'unknown',
        },
      });
      const container = await containerOf(service);
      const bundle = await container.inside('node', '-p', "JSON.stringify(require('./package.json'))");
      expect(JSON.parse(bundle)).toMatchObject({ commit: source.commit ?? 'unknown' });
      expect(Number(await container.inside('node', '-e', SIZE_OF_FILES))).toBeLessThan(MAX_IMAGE_BYTES);

      const name = Object.keys(service.depends_on!).find((other) => other.endsWith('-migration'))!;
      const migration = services[name]!;
      const other = await containerOf(service);
      const waiting = output(other.commandLine(migration, [...migration.command!, '--wait']));
      await output(container.commandLine(migration, migration.command!));
      await waiting;

      const port = String(await freePort());
      const [node, ...parameters] = image.Cmd;
      const readOnly = [node!, ...READ_ONLY, ...parameters];
      const started = startGuarded({
        command: container.commandLine(service, readOnly, { [portVariable]: port }),
      });
      const healthy = () =>
        fetch(`http://127.0.0.1:${port}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      await waitUntilReady(started, healthy);
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(await metrics.text()).toContain(`service="${app}"`);
      expect(await fetch(`http://127.0.0.1:${port}/docs/openapi.json`)).toMatchObject({ status: 200 });

      // The signal reaches buildah, too, which ends the process before it has ended by itself.
      await started.stop();
      expect(await healthy()).toBe(false);
    },
    120_000,
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
    const cxp = services.cxp!;
    const container = await containerOf(cxp);
    const command = ['organization', 'create', '--id', 'acme', '--name', 'Acme', '--json'];
    const printed = await output(container.commandLine(cxp, [...cxp.entrypoint!, ...command]));
    expect(JSON.parse(printed)).toMatchObject({ id: 'acme' });
  });
});
