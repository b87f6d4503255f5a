import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { readComposeFile, type ComposeService } from './compose';

export const dockerfile = readFileSync(join(workspaceRoot, 'docker/Dockerfile'), 'utf8');

/** Programs that build an image from docker/Dockerfile, in the order in which they are looked for. */
const BUILDERS: Readonly<Record<string, { readonly available: string[]; readonly build: string[] }>> = {
  // The command is often there without an engine.
  docker: { available: ['version'], build: ['build'] },
  buildah: { available: ['--version'], build: ['bud', '--format', 'docker', '--layers'] },
};

/** The images of docker/compose.yaml that are built from this workspace: of the three services and of the command line. */
function builtImages(): Required<Pick<ComposeService, 'image' | 'build'>>[] {
  const images = Object.values(readComposeFile().services).flatMap(({ image, build }) =>
    build ? [{ image, build }] : [],
  );
  return [...new Map(images.map((each) => [each.image, each])).values()];
}

/**
 * `npm run images`: builds all images, under the names that docker/compose.yaml gives them.
 * @param names of the builder that is wanted; else the first that is there
 */
export async function main(names: readonly string[]): Promise<void> {
  const wanted = names.length > 0 ? names : Object.keys(BUILDERS);
  const builder = wanted.find((name) => BUILDERS[name] && succeeds(name, BUILDERS[name].available));
  if (!builder) throw new Error(`images: no builder answers (${wanted.join(', ')})`);
  for (const { image, build } of builtImages()) {
    console.log(`${builder}: ${image}`);
    const buildArguments = Object.entries(build.args).flatMap(([name, value]) => [
      '--build-arg',
      `${name}=${value}`,
    ]);
    const command = [...BUILDERS[builder]!.build, '-f', 'docker/Dockerfile', ...buildArguments];
    const { status } = spawnSync(builder, [...command, '-t', image, '.'], {
      cwd: workspaceRoot,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error(`images: ${builder} could not build ${image}`);
  }
}

function succeeds(command: string, parameters: readonly string[]): boolean {
  return spawnSync(command, parameters, { stdio: 'ignore' }).status === 0;
}
