import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedServices as described } from '@cxp/areas/described-services';
import { settingNames } from '@cxp/service-kit';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { readComposeFile } from '../src/compose';

describe('docker/compose.yaml', () => {
  const compose = readComposeFile();
  const services = Object.entries(compose.services);

  it.each(services)('%s has a pinned image, and what it waits for is there', (_, service) => {
    // redis:7.4, not redis.
    expect(service.image).toMatch(/^[\w./-]+:v?\d[\w.-]*$/);
    for (const dependency of Object.keys(service.depends_on ?? {}))
      expect(compose.services).toHaveProperty(dependency);
  });

  it.each(services.filter(([, { build }]) => build))(
    '%s builds a project and can write nothing',
    (_, service) => {
      const { APP, PROJECT = `apps/${APP}` } = service.build!.args;

      expect(existsSync(join(workspaceRoot, PROJECT, 'src'))).toBe(true);
      expect(service.read_only).toBe(true);
    },
  );

  it.each(described)('gives $app only settings that it has', ({ app, settings }) => {
    const known = settingNames(settings).flatMap((name) => [name, `${name}_FILE`]);
    const given = Object.keys(compose.services[app]!.environment!);

    expect(given.filter((name) => !known.includes(name) && !name.startsWith('OTEL_'))).toEqual([]);
  });
});

it('Compose, pods and the guide have one bound of what the kernel holds of an answer', () => {
  const bounds = ['compose.yaml', 'kubernetes/base/workloads.yaml', 'README.md'].map((name) => {
    const text = readFileSync(join(workspaceRoot, 'docker', name), 'utf8');
    const [, bytes, kib] = /tcp_wmem\W+(?:value: )?\d+ \d+ (\d+)|up to (\d+) KiB of an answer/.exec(text)!;
    return kib ? Number(kib) * 1_024 : Number(bytes);
  });
  expect(new Set(bounds).size).toBe(1);
});

it.each(described)(
  'of the files of $app only one makes V8 keep two bytes for each of its letters',
  ({ app }) => {
    const folder = join(workspaceRoot, 'dist/apps', app);
    const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
    const isBeyondLatin1 = (name: string) => /[^\0-\xff]/.test(readFileSync(join(folder, name), 'utf8'));
    expect(scripts.filter(isBeyondLatin1)).toEqual(['vendor-validator.js']);
  },
);
