import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort, startGuarded, waitUntilReady, workspaceRoot } from '@cxp/local-servers';
import { services } from '@cxp/services/services';
import { createTestDatabase, createTestRedis, type TestDatabase, type TestRedis } from '@cxp/testing';
import { builtImages } from '../src/build-images';
import { dockerfile } from '../src/image-builder';
import { canMount, DebianBuildah } from './debian-buildah';

const run = promisify(execFile);

/** What an image may add to its base. */
const MAX_IMAGE_BYTES = 60_000_000;

const [, baseImage] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)!;

const SIZE_OF_FILES = `
  const { readdirSync, statSync } = require('node:fs');
  const files = readdirSync('.', { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  console.log(files.reduce((sum, { parentPath, name }) => sum + statSync(parentPath + '/' + name).size, 0));`;

interface ImageConfiguration {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
  readonly Cmd: readonly string[];
  readonly Healthcheck: { readonly Test: readonly string[] };
}

/**
 * `npm run images` with a real builder, the oldest that is supported, on a base image of this machine's Node.js: no registry of images is
 * needed. Without root it can't be done; image.ci.ts follows the Dockerfile without a builder.
 */
describe('npm run images', () => {
  let buildah: DebianBuildah;
  let database: TestDatabase;
  let redis: TestRedis;
  let possible: boolean;

  beforeAll(async () => {
    possible = await canMount();
    if (!possible) return console.warn('Skipped: buildah needs to be root, with the capability SYS_ADMIN');
    [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
    buildah = await DebianBuildah.prepare();
    await buildah.makeNodeImage(`docker.io/library/${baseImage}`);
    const build = ['tools/deployment/bin/build-images.js', 'buildah'];
    const options = { cwd: workspaceRoot, env: buildah.environment, maxBuffer: 100_000_000 };
    await run(process.execPath, build, options);
  }, 900_000);

  afterAll(async () => {
    await Promise.all([database?.drop(), redis?.close()]);
    buildah?.remove();
  });

  /** A container that can't change anything and has no rights. */
  async function containerOf(app: string): Promise<{ command: string[]; image: ImageConfiguration }> {
    const { image: name } = builtImages().find(({ build }) => build.args.APP === app)!;
    const container = await buildah.run('from', '--pull-never', name);
    const inspected = await buildah.run('inspect', '--type', 'image', name);
    const { Docker } = JSON.parse(inspected) as { Docker: { config: ImageConfiguration } };
    const command = [buildah.command, 'run', '--cap-drop', 'ALL'];
    const settings = {
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      WEBCHAT_WEBSOCKET_URL: 'wss://chat.example/websocket',
      WEBCHAT_SESSION_TOKEN_KEYS: `first:${'k'.repeat(32)}`,
    };
    for (const [key, value] of Object.entries(settings)) command.push('--env', `${key}=${value}`);
    return { command: [...command, container, '--'], image: Docker.config };
  }

  it.each(services)(
    'builds $app, which adds little to its base, migrates, becomes healthy and stops',
    async (service) => {
      if (!possible) return;
      const { command, image } = await containerOf(service.app);
      const [program, ...parameters] = command;
      const inside = (...parts: string[]) => run(program!, [...parameters, ...parts]);
      expect(image).toMatchObject({
        User: '1000:1000',
        Labels: { 'org.opencontainers.image.title': service.app },
      });
      expect(image.Env).toContain(`OTEL_SERVICE_NAME=${service.app}`);
      expect(Number((await inside('node', '-e', SIZE_OF_FILES)).stdout)).toBeLessThan(MAX_IMAGE_BYTES);

      await inside('node', 'migrate.js');
      const port = String(await freePort());
      parameters.splice(-2, 0, '--env', `${service.portVariable}=${port}`);
      const started = startGuarded({ command: [program!, ...parameters, ...image.Cmd] });
      const [, ...check] = image.Healthcheck.Test.map((part) => part.replace(':3000/', `:${port}/`));
      const healthy = () =>
        inside(...check).then(
          () => true,
          () => false,
        );
      await waitUntilReady(started, healthy);
      expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain(
        `service="${service.app}"`,
      );
      await started.stop();
      expect(await healthy()).toBe(false);
    },
    120_000,
  );

  it('builds the command line', async () => {
    if (!possible) return;
    const { command } = await containerOf('cxp');
    const [program, ...parameters] = command;
    const call =
      "require('./main.js').main(['node', 'cxp', 'organization', 'create', '--id', 'acme', '--name', 'Acme', '--json'])";
    const { stdout } = await run(program!, [...parameters, 'node', '-e', call]);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'acme' });
  }, 60_000);
});
