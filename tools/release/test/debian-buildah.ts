import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath, unpackedDebianPackage } from '@cxp/testing/local-servers';

const run = promisify(execFile);

/** Debian's packages that Node.js, npm and the commands of docker/Dockerfile need. */
const BASE_PACKAGES = [
  'libc6',
  'libgcc-s1',
  'libstdc++6',
  'coreutils',
  'dash',
  'findutils',
  'libselinux1',
  'libpcre2-8-0',
];

/** Where npm's cache is in a container. */
const NPM_CACHE = '/npm-cache';

/** buildah needs root for its mounts; in a container also the capability SYS_ADMIN. */
export function canMount(): boolean {
  return spawnSync('unshare', ['--mount', 'true']).status === 0;
}

/**
 * Debian 12's buildah, 1.28, the oldest that docker/README.md names, unpacked under `.local/`, with images and containers of its own.
 * Containers share this machine's network.
 */
export class DebianBuildah {
  private constructor(private readonly directory: string) {}

  /** @param registry that answers without TLS */
  static async prepare(registry: string): Promise<DebianBuildah> {
    const root = await unpackedDebianPackage('buildah');
    const directory = mkdtempSync(join(tmpdir(), 'cxp-buildah-'));
    mkdirSync(join(directory, 'bin'));
    cpSync(join(root, 'etc/containers'), join(directory, '.config/containers'), { recursive: true });
    // Builds take packages from this machine's cache.
    const { stdout: cacheOfNpm } = await run('npm', ['config', 'get', 'cache']);
    const settings = `[containers]\nvolumes = ["${cacheOfNpm.trim()}:${NPM_CACHE}"]\n`;
    writeFileSync(join(directory, '.config/containers/containers.conf'), settings);
    // buildah starts itself again without LD_LIBRARY_PATH: its libraries are found by a cache that only it sees.
    const cache = join(directory, 'ld.so.cache');
    const libraries = join(directory, 'ld.so.conf');
    writeFileSync(
      libraries,
      `${join(root, 'usr/lib', `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`)}\n`,
    );
    await run('/sbin/ldconfig', ['-X', '-C', cache, '-f', libraries]);
    const stores = `--root ${directory}/images --runroot ${directory}/state`;
    const registries = join(directory, 'registries.conf');
    writeFileSync(registries, `[[registry]]\nlocation = "${registry}"\ninsecure = true\n`);
    writeFileSync(
      join(directory, 'bin/buildah'),
      [
        '#!/bin/sh',
        `export HOME=${directory} BUILDAH_ISOLATION=chroot`,
        `exec unshare --mount sh -c 'mount --bind ${cache} /etc/ld.so.cache && exec "$@"' sh \\`,
        `  ${join(root, 'usr/bin/buildah')} ${stores} --registries-conf ${registries} "$@"`,
        '',
      ].join('\n'),
      { mode: 0o755 },
    );
    return new DebianBuildah(directory);
  }

  get command(): string {
    return join(this.directory, 'bin/buildah');
  }

  /** What a command needs to find this buildah first. */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, PATH: [join(this.directory, 'bin'), process.env.PATH].join(delimiter) };
  }

  async run(...parameters: string[]): Promise<string> {
    return (await run(this.command, parameters, { maxBuffer: 100_000_000 })).stdout.trim();
  }

  /** Makes an image of this machine's Node.js and npm, for tests that can't reach a registry of images. */
  async makeNodeImage(name: string): Promise<void> {
    const root = join(this.directory, 'base');
    for (const file of await filesOf(BASE_PACKAGES)) copyInto(root, file);
    copyInto(root, '/usr/bin/env');
    copyInto(root, process.execPath, '/usr/bin/node');
    const npm = dirname(dirname(realpathSync(findOnPath('npm')!)));
    cpSync(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true });
    symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));
    mkdirSync(join(root, 'tmp'));
    chmodSync(join(root, 'tmp'), 0o1777);
    const environment = environmentOfBuilds();
    if (environment.NODE_EXTRA_CA_CERTS) copyInto(root, environment.NODE_EXTRA_CA_CERTS);
    const variables = Object.entries({ ...environment, PATH: '/usr/bin:/bin', npm_config_cache: NPM_CACHE });
    const container = await this.run('from', 'scratch');
    await this.run('copy', container, root, '/');
    await this.run('config', ...variables.flatMap(([key, value]) => ['--env', `${key}=${value}`]), container);
    await this.run('commit', '--rm', '--format', 'docker', container, name);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

async function filesOf(packages: readonly string[]): Promise<string[]> {
  const { stdout } = await run('dpkg', ['-L', ...packages]);
  return stdout
    .split('\n')
    .filter((file) => file.startsWith('/') && !/\/(share|gconv)\//.test(file) && statSync(file).isFile());
}

function copyInto(root: string, file: string, as = file): void {
  mkdirSync(dirname(join(root, as)), { recursive: true });
  copyFileSync(file, join(root, as));
}

/** What a build needs to reach the registry, and nothing that a test or an npm script has set. */
function environmentOfBuilds(): NodeJS.ProcessEnv {
  const needed = /^(\w+_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|userconfig))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => needed.test(name)));
}
