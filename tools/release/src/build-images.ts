import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { readComposeFile, type ComposeService } from './compose';
import { readVersion } from './release';
import { writeSbom } from './sbom';

export const dockerfile = readFileSync(join(workspaceRoot, 'docker/Dockerfile'), 'utf8');

interface Builder {
  readonly available: string[];
  readonly build: string[];
  /** Sends a local image to a registry under another name. @returns its digest */
  readonly push: (image: string, name: string) => string;
}

/** Programs that build an image from docker/Dockerfile, in the order in which they are looked for. */
const BUILDERS: Readonly<Record<string, Builder>> = {
  docker: {
    // The command is often there without an engine.
    available: ['version'],
    build: ['build'],
    push(image, name) {
      execFileSync('docker', ['tag', image, name]);
      execFileSync('docker', ['push', '--quiet', name]);
      const format = '{{range .RepoDigests}}{{println .}}{{end}}';
      const digests = execFileSync('docker', ['image', 'inspect', '--format', format, name], {
        encoding: 'utf8',
      });
      const repository = name.slice(0, name.lastIndexOf(':'));
      return digests
        .split('\n')
        .find((digest) => digest.startsWith(`${repository}@`))!
        .slice(repository.length + 1);
    },
  },
  buildah: {
    available: ['--version'],
    // In a chroot, buildah lets a step open 1,024 files. npm opens more than there are packages: 1,381 were seen.
    build: ['bud', '--format', 'docker', '--layers', '--ulimit', 'nofile=4096:4096'],
    push(image, name) {
      const directory = mkdtempSync(join(tmpdir(), 'cxp-digest-'));
      const file = join(directory, 'digest');
      try {
        execFileSync('buildah', ['push', '--quiet', '--digestfile', file, image, `docker://${name}`]);
        return readFileSync(file, 'utf8').trim();
      } finally {
        rmSync(directory, { recursive: true });
      }
    },
  },
};

/** The images of docker/compose.yaml that are built from this workspace: of the three services and of the command line. */
function builtImages(version: string): Required<Pick<ComposeService, 'image' | 'build'>>[] {
  const images = Object.values(readComposeFile({ CXP_VERSION: version }).services).flatMap(
    ({ image, build }) => (build ? [{ image, build }] : []),
  );
  return [...new Map(images.map((each) => [each.image, each])).values()];
}

/** What is built: the version, and the commit if git is there. */
export interface Source {
  readonly version: string;
  readonly commit?: string;
}

/**
 * The version of package.json. Only the commit that has its tag is called so: others take their own commit into the name, so that no two are
 * built under one name.
 */
export function readSource(root = workspaceRoot): Source {
  const version = readVersion(root);
  const git = (...parameters: string[]) =>
    execFileSync('git', parameters, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const changes = git('status', '--porcelain') === '' ? '' : '-changed';
    const commit = git('rev-parse', '--short=12', 'HEAD') + changes;
    const isRelease = !changes && git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`);
    return { version: isRelease ? version : `${version}-${commit}`, commit };
  } catch {
    return { version };
  }
}

/**
 * `npm run images -- [<builder>] [--registry <name>]`: builds all images, as docker/compose.yaml names them with `CXP_VERSION`, by the builder
 * that is named or else the first that is there, and writes a list of the packages beside each. With a registry it pushes them, and prints the part of an overlay that takes them by digest.
 */
export async function main(parameters: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    options: { registry: { type: 'string' } },
    allowPositionals: true,
  });
  const wanted = positionals.length > 0 ? positionals : Object.keys(BUILDERS);
  const builder = wanted.find((name) => BUILDERS[name] && succeeds(name, BUILDERS[name].available));
  if (!builder) throw new Error(`images: no builder answers: install ${wanted.join(' or ')}`);
  const { version, commit = 'unknown' } = readSource();
  const images = builtImages(version);
  for (const { image, build } of images) {
    console.log(`${builder}: ${image}`);
    const buildArguments = Object.entries({ ...build.args, VERSION: version, COMMIT: commit });
    const command = [
      ...BUILDERS[builder]!.build,
      ...['-f', 'docker/Dockerfile', '-t', image],
      ...buildArguments.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ];
    const { status } = spawnSync(builder, [...command, '.'], { cwd: workspaceRoot, stdio: 'inherit' });
    if (status !== 0) throw new Error(`images: ${builder} could not build ${image}`);
    console.log(`Its packages: ${relative(workspaceRoot, writeSbom(image))}`);
  }
  if (version !== readVersion())
    console.log(`This is no release: docker/compose.yaml takes these images with CXP_VERSION=${version}`);
  if (!values.registry) return;
  const pushed = images.map(({ image }) => {
    const name = image.slice(0, image.lastIndexOf(':'));
    const newName = `${values.registry}/${name.replace(/^cxp\//, '')}`;
    return { name, newName, digest: BUILDERS[builder]!.push(image, `${newName}:${version}`) };
  });
  console.log(stringify({ images: pushed }, { lineWidth: 0 }));
}

function succeeds(command: string, parameters: readonly string[]): boolean {
  return spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
}
