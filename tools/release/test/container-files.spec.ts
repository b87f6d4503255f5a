import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describedServices as described } from '@cxp/system-tests/definitions';
import { settingNames } from '@cxp/service-kit';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { readComposeFile } from '../src/compose';
import { dockerfile } from '../src/build-images';
import { isPinned } from './image-reference';

describe('docker/Dockerfile', () => {
  it('starts from a Node.js that is supported until 2028, and runs as an ordinary user', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-/m);
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
  });
});

describe('docker/compose.yaml', () => {
  const compose = readComposeFile();
  const services = Object.entries(compose.services);

  it.each(services)('%s has a pinned image, and what it waits for is there', (_, service) => {
    expect(isPinned(service.image)).toBe(true);
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

  it('restarts the edge, which looks up the services at its start only, when one is replaced', () => {
    const { depends_on: services } = compose.services.edge!;
    expect(Object.values(services!).map(({ restart }) => restart)).toEqual([true, true, true]);
  });

  it('gives the command line both stores, and a directory of the operator for the files that it writes', () => {
    const { environment, working_dir: directory, volumes } = compose.services.cxp!;

    expect(Object.keys(environment!)).toEqual(expect.arrayContaining(['DATABASE_URL_FILE', 'REDIS_URL']));
    expect(volumes).toContain(`.:${directory}`);
  });

  it.each(described)('gives $app only settings that it has', ({ app, settings }) => {
    const known = settingNames(settings).flatMap((name) => [name, `${name}_FILE`]);
    const given = Object.keys(compose.services[app]!.environment!);

    expect(given.filter((name) => !known.includes(name) && !name.startsWith('OTEL_'))).toEqual([]);
  });
});
