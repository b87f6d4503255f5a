import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { findOnPath, startGuarded, workspaceRoot, type GuardedProcess } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/testing';

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

/** A service may open more files than this machine may allow by default, and no process more than this machine allows. */
const ULIMITS = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];

/** Containers need root, and a kernel that lets it mount and limit. */
export function canRunContainers(): boolean {
  return spawnSync('unshare', ['--mount', 'true']).status === 0 && findOnPath('podman') !== undefined;
}

/** What the manifests grant a container of a service. */
const { spec: POD } = (
  parseAllDocuments(
    readFileSync(join(workspaceRoot, 'docker/kubernetes/base/workloads.yaml'), 'utf8'),
  )[0]!.toJS() as { spec: { template: { spec: PodSpec } } }
).spec.template;

interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: {
    readonly runAsUser: number;
    readonly runAsGroup: number;
    readonly sysctls: readonly { readonly name: string; readonly value: string }[];
  };
  readonly containers: readonly {
    readonly resources: Readonly<
      Record<'requests' | 'limits', { readonly cpu: string; readonly memory: string }>
    >;
  }[];
}

const { requests, limits } = POD.containers[0]!.resources;
export const REQUESTED_MIB = parseInt(requests.memory, 10);
export const GRACE_SECONDS = POD.terminationGracePeriodSeconds;

const LIMITS = [
  ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
  ...['--memory', limits.memory.replace('Mi', 'm'), '--cpus', limits.cpu],
  ...['--user', `${POD.securityContext.runAsUser}:${POD.securityContext.runAsGroup}`],
  ...POD.securityContext.sysctls.flatMap(({ name, value }) => ['--sysctl', `${name}=${value}`]),
];

export interface RunningContainer {
  /** Its port 3000. */
  readonly url: string;
  /** Memory that counts as the container's, in MiB. */
  memory(): Promise<number>;
  /** @returns its exit status @throws if it does not end within the grace period */
  stop(): Promise<number>;
}

/** Debian's podman and buildah, with images, containers and settings of their own. */
export class Containers {
  private readonly forwarders: Server[] = [];

  private constructor(
    private readonly directory: string,
    private readonly holder: GuardedProcess,
    /** This machine's address for containers. */
    private readonly gateway: string,
  ) {}

  /** @param registry that answers without TLS */
  static async prepare(registry: string): Promise<Containers> {
    const directory = mkdtempSync(join(tmpdir(), 'cxp-containers-'));
    const settings = join(directory, '.config/containers');
    mkdirSync(settings, { recursive: true });
    mkdirSync(join(directory, 'bin'));
    // Builds take packages from this machine's cache.
    const { stdout: cacheOfNpm } = await run('npm', ['config', 'get', 'cache']);
    const policy = { default: [{ type: 'insecureAcceptAnything' }] };
    writeFileSync(join(settings, 'policy.json'), JSON.stringify(policy));
    writeFileSync(
      join(settings, 'registries.conf'),
      `[[registry]]\nlocation = "${registry}"\ninsecure = true\n`,
    );
    writeFileSync(
      join(settings, 'builds.conf'),
      `[containers]\nvolumes = ["${cacheOfNpm.trim()}:${NPM_CACHE}"]\n`,
    );
    const stores = `--root ${directory}/images --runroot ${directory}/state`;
    // One namespace of mounts for all calls of podman, because networks of containers are mounts, too. crun wants one of the two
    // hierarchies of control groups.
    const holder = startGuarded({
      command: [
        'unshare',
        '--mount',
        'sh',
        '-c',
        `umount /sys/fs/cgroup/unified; echo $$ >${directory}/pid; exec sleep infinity`,
      ],
    });
    await eventually(() => existsSync(join(directory, 'pid')));
    const settingsOf = `export HOME=${directory} CONTAINERS_REGISTRIES_CONF=${settings}/registries.conf`;
    for (const [program, variables, command] of [
      [
        'buildah',
        `BUILDAH_ISOLATION=chroot CONTAINERS_CONF=${settings}/builds.conf`,
        `${findOnPath('buildah')} ${stores}`,
      ],
      [
        'podman',
        '',
        `nsenter --mount --target "$(cat ${directory}/pid)" -- ${findOnPath('podman')} ${stores} --cgroup-manager cgroupfs`,
      ],
    ] as const)
      writeFileSync(
        join(directory, 'bin', program),
        `#!/bin/sh\n${settingsOf} ${variables}\nexec ${command} "$@"\n`,
        { mode: 0o755 },
      );
    const format = '{{(index .Subnets 0).Gateway}}';
    const { stdout } = await run(join(directory, 'bin/podman'), [
      'network',
      'inspect',
      'podman',
      '--format',
      format,
    ]);
    return new Containers(directory, holder, stdout.trim());
  }

  /** What a command needs to find this buildah first. */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, PATH: [join(this.directory, 'bin'), process.env.PATH].join(delimiter) };
  }

  buildah(...parameters: string[]): Promise<string> {
    return this.output('buildah', parameters);
  }

  podman(...parameters: string[]): Promise<string> {
    return this.output('podman', parameters);
  }

  /** @returns the URL of a server of this machine, as containers reach it */
  async reach(url: string): Promise<string> {
    const { hostname, port, host } = new URL(url);
    const forwarder = createServer((inside) => {
      const outside = connect(Number(port), hostname);
      inside.pipe(outside).pipe(inside);
      for (const socket of [inside, outside])
        socket.on('error', () => void (inside.destroy(), outside.destroy()));
    });
    await once(forwarder.listen(0, '0.0.0.0'), 'listening');
    this.forwarders.push(forwarder);
    return url.replace(host, `${this.gateway}:${(forwarder.address() as AddressInfo).port}`);
  }

  /** Runs a command in a container to its end. @returns what it prints */
  toEnd(options: readonly string[], image: string, ...command: string[]): Promise<string> {
    return this.podman('run', '--rm', '--interactive', ...ULIMITS, ...LIMITS, ...options, image, ...command);
  }

  /** Starts the image's program as the manifests do. */
  async start(options: readonly string[], image: string): Promise<RunningContainer> {
    const id = await this.podman('run', '--detach', ...ULIMITS, ...LIMITS, ...options, image);
    const inspect = (format: string) => this.podman('inspect', '--format', format, id);
    const address = await inspect('{{.NetworkSettings.IPAddress}}');
    return {
      url: `http://${address}:3000`,
      memory: async () => {
        const used = await this.podman('stats', '--no-stream', '--format', '{{.MemUsageBytes}}', id);
        const [, number, unit] = /^([\d.]+)(\w+)/.exec(used)!;
        return Number(number) * { KiB: 1 / 1_024, MiB: 1, GiB: 1_024 }[unit as 'MiB'];
      },
      stop: async () => {
        await this.podman('stop', '--time', String(GRACE_SECONDS), id);
        const status = Number(await inspect('{{.State.ExitCode}}'));
        if (status !== 0) process.stderr.write(await this.podman('logs', '--tail', '20', id));
        return status;
      },
    };
  }

  private async output(program: string, parameters: readonly string[]): Promise<string> {
    const { stdout } = await run(join(this.directory, 'bin', program), parameters, {
      maxBuffer: 100_000_000,
    });
    return stdout.trim();
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
    const container = await this.buildah('from', 'scratch');
    await this.buildah('copy', container, root, '/');
    await this.buildah(
      'config',
      ...variables.flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      container,
    );
    await this.buildah('commit', '--rm', '--format', 'docker', container, name);
  }

  async remove(): Promise<void> {
    for (const forwarder of this.forwarders) forwarder.close();
    await this.podman('rm', '--all', '--force', '--time', '0');
    await this.holder.stop();
    // The last process may take a moment to end: until then what it has mounted is EBUSY.
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
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
