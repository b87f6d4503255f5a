import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, startGuarded, waitUntilReady } from '@cxp/local-servers';
import { createTestDatabase, createTestRedis, type TestDatabase, type TestRedis } from '@cxp/testing';
import { services as allServices } from '@cxp/services/services';
import { readComposeFile, type ComposeService } from '../src/compose';
import { ImageBuilder, type Image } from '../src/image-builder';
import { startTraceReceiver } from './trace-receiver';

const run = promisify(execFile);
const { services } = readComposeFile();

/** Node.js then refuses to write any file, as the read-only root file system of a container does. */
const READ_ONLY = [
  process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission',
  '--allow-fs-read=*',
];

/** What an image may add to its base. */
const MAX_IMAGE_BYTES = 60_000_000;

function sizeOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/**
 * Builds each image in an empty folder, installs only the production packages, and runs it as Compose does: its
 * environment, its migration, its health check. Only the addresses of the databases and of the service differ.
 */
describe('docker/Dockerfile with docker/compose.yaml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cxp-image-'));
  const secrets = mkdtempSync(join(tmpdir(), 'cxp-secrets-'));
  const builder = new ImageBuilder(folder);
  let database: TestDatabase;
  let redis: TestRedis;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
    const [shell, ...flags] = services.secrets!.entrypoint!;
    await run(shell!, [...flags, ...services.secrets!.command!], { cwd: secrets });
  });

  afterAll(async () => {
    await Promise.all([database.drop(), redis.close()]);
    for (const directory of [folder, secrets]) rmSync(directory, { recursive: true });
  });

  /** What the process sees: the image's own environment, then that of the service. */
  function environmentOf(image: Image, service: ComposeService): Record<string, string> {
    const { DATABASE_URL_FILE: _, ...settings } = service.environment ?? {};
    const mounted = Object.entries(settings).map(([name, value]) => [
      name,
      value.replace('/run/cxp', secrets),
    ]);
    const stores = { DATABASE_URL: database.url, REDIS_URL: redis.url };
    return { PATH: process.env.PATH!, ...image.environment, ...Object.fromEntries(mounted), ...stores };
  }

  it('makes secrets of its own at the first start', () => {
    expect(readdirSync(secrets).sort()).toEqual([
      'database-password',
      'database-url',
      'session-token-keys',
      'survey-page-keys',
    ]);
  });

  it.each(allServices.map(({ app }) => app))(
    '%s migrates, becomes healthy, answers, is traced and stops',
    async (app) => {
      const service = services[app]!;
      const image = await builder.build(service.build!.args);
      expect(sizeOf(image.directory)).toBeLessThan(MAX_IMAGE_BYTES);
      const migration = Object.keys(service.depends_on!).find((name) => name.endsWith('-migration'))!;
      const [migrate, ...migrateArguments] = services[migration]!.command!;
      const place = { cwd: image.directory, env: environmentOf(image, services[migration]!) };
      const waiting = run(migrate!, [...migrateArguments, '--wait'], place);
      await run(migrate!, migrateArguments, place);
      await waiting;

      const port = await freePort();
      const environment = Object.fromEntries(
        Object.entries(environmentOf(image, service)).map(([name, value]) =>
          name.endsWith('_PORT') ? [name, String(port)] : [name, value],
        ),
      );
      const traces = await startTraceReceiver();
      const [node, ...nodeArguments] = image.command;
      const started = startGuarded({
        command: [node!, ...READ_ONLY, ...nodeArguments],
        cwd: image.directory,
        env: { ...environment, ...traces.environment },
      });
      const [check, ...checkArguments] = image.healthCheck.map((part) => part.replace(':3000/', `:${port}/`));
      await waitUntilReady(started, () =>
        run(check!, checkArguments, { env: environment }).then(
          () => true,
          () => false,
        ),
      );
      const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(await metrics.text()).toContain(`service="${app}"`);
      expect(await fetch(`http://127.0.0.1:${port}/docs/openapi.json`)).toMatchObject({ status: 200 });

      started.signal('SIGTERM');
      expect(await started.exited).toBe(0);
      traces.close();
      expect(traces.spans.map(({ name }) => name)).toContain('GET /docs/openapi.json');
      await expect(run(check!, checkArguments, { env: environment })).rejects.toThrow();
    },
    600_000,
  );

  it('cxp creates an organization', async () => {
    const cxp = services.cxp!;
    const image = await builder.build(cxp.build!.args);
    const [node, ...entryArguments] = cxp.entrypoint!;
    const command = ['organization', 'create', '--id', 'acme', '--name', 'Acme', '--json'];
    const { stdout } = await run(node!, [...entryArguments, ...command], {
      cwd: image.directory,
      env: environmentOf(image, cxp),
    });

    expect(JSON.parse(stdout)).toMatchObject({ id: 'acme' });
  }, 600_000);
});
