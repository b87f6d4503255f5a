import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { readComposeFile, type ComposeService } from './compose';
import { readVersion } from './release';

export const dockerfile = readFileSync(join(workspaceRoot, 'docker/Dockerfile'), 'utf8');

/** Programs that build an image from docker/Dockerfile, in the order in which they are looked for. */
const BUILDERS: Readonly<Record<string, { readonly available: string[]; readonly build: string[] }>> = {
  // The command is often there without an engine.
  docker: { available: ['version'], build: ['build'] },
  buildah: { available: ['--version'], build: ['bud', '--format', 'docker', '--layers'] },
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
 * `npm run images`: builds all images, as docker/compose.yaml names them with `CXP_VERSION`.
 * @param names of the builder that is wanted; else the first that is there
 */
export async function main(names: readonly string[]): Promise<void> {
  const wanted = names.length > 0 ? names : Object.keys(BUILDERS);
  const builder = wanted.find((name) => BUILDERS[name] && succeeds(name, BUILDERS[name].available));
  if (!builder) throw new Error(`images: no builder answers (${wanted.join(', ')})`);
  const { version, commit = 'unknown' } = readSource();
  for (const { image, build } of builtImages(version)) {
    console.log(`${builder}: ${image}`);
    const buildArguments = Object.entries({ ...build.args, VERSION: version, COMMIT: commit });
    const command = [
      ...BUILDERS[builder]!.build,
      ...['-f', 'docker/Dockerfile', '-t', image],
      ...buildArguments.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    ];
    const { status } = spawnSync(builder, [...command, '.'], { cwd: workspaceRoot, stdio: 'inherit' });
    if (status !== 0) throw new Error(`images: ${builder} could not build ${image}`);
  }
  if (version !== readVersion())
    console.log(`This is no release: docker/compose.yaml takes these images with CXP_VERSION=${version}`);
}

function succeeds(command: string, parameters: readonly string[]): boolean {
  return spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
}
