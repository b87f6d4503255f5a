import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { unpackedDebianPackage, workspaceRoot } from '@cxp/testing/local-servers';

const CHANGELOG = 'docker/CHANGELOG.md';
const UNRELEASED = '## Unreleased\n';

/** Names of objects in Kubernetes hold no dot. */
const inNames = (version: string) => version.replaceAll('.', '-');
const asItIs = (version: string) => version;

/** Every place that holds the version: the first group of each pattern. The one in package.json is the source of all others. */
export const PLACES: readonly { file: string; pattern: RegExp; written: (version: string) => string }[] = [
  { file: 'package.json', pattern: /"name": "cxp",\s+"version": "([^"]+)"/g, written: asItIs },
  { file: 'package-lock.json', pattern: /"name": "cxp",\s+"version": "([^"]+)"/g, written: asItIs },
  { file: 'package-lock.json', pattern: /"name": "@cxp\/cxp",\s+"version": "([^"]+)"/g, written: asItIs },
  { file: 'tools/cxp/package.json', pattern: /"version": "([^"]+)"/g, written: asItIs },
  { file: 'libs/client/package.json', pattern: /"version": "([^"]+)"/g, written: asItIs },
  { file: 'libs/follower/package.json', pattern: /"version": "([^"]+)"/g, written: asItIs },
  { file: 'libs/client-python/pyproject.toml', pattern: /^version = "([^"]+)"/gm, written: asItIs },
  { file: 'docker/compose.yaml', pattern: /image: cxp\/.*\$\{CXP_VERSION:-([^}]+)\}/g, written: asItIs },
  { file: 'docker/kubernetes/base/kustomization.yaml', pattern: /newTag: (\S+)/g, written: asItIs },
  { file: 'docker/kubernetes/cxp/kustomization.yaml', pattern: /newTag: (\S+)/g, written: asItIs },
  {
    file: 'docker/kubernetes/components/backup/kustomization.yaml',
    pattern: /newTag: (\S+)/g,
    written: asItIs,
  },
  { file: 'docker/kubernetes/base/workloads.yaml', pattern: /name: migration-(\d\S+)/g, written: inNames },
];

export function readVersion(root = workspaceRoot): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/** @returns the places that do not hold the version of package.json, with what they hold */
export function otherVersions(root = workspaceRoot): string[] {
  const version = readVersion(root);
  return PLACES.flatMap(({ file, pattern, written }) => {
    const found = [...readFileSync(join(root, file), 'utf8').matchAll(pattern)].map(([, held]) => held);
    if (found.length === 0) return [`${file}: no version`];
    return found.filter((held) => held !== written(version)).map((held) => `${file}: ${held}`);
  });
}

/** @returns the versions that have a section in docker/CHANGELOG.md, the oldest first. The commit of each has the tag `v<version>`. */
export function releases(root = workspaceRoot): string[] {
  const changelog = readFileSync(join(root, CHANGELOG), 'utf8');
  return [...changelog.matchAll(/^## (\d+\.\d+\.\d+) /gm)].map(([, version]) => version!).reverse();
}

/**
 * `npm run release -- [<version> [--tag]]`: makes the packages of a release, in `dist/release`. With a version it writes that to every place
 * first, and turns the part "Unreleased" of docker/CHANGELOG.md into the section of the release. With `--tag` it commits that and tags the commit.
 */
export async function main(parameters: readonly string[]): Promise<void> {
  if (parameters.length > 0) setVersion(parameters);
  const made = await makePackages(join(workspaceRoot, 'dist/release'));
  for (const path of made) {
    const publish = path.endsWith('.tgz') ? 'npm publish' : 'twine upload';
    console.log(`${publish} ${relative(process.cwd(), path)}`);
  }
}

/** @param parameters `<version> [--tag]` */
export function setVersion(parameters: readonly string[], root = workspaceRoot): void {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    options: { tag: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [version = ''] = positionals;
  if (positionals.length !== 1 || !/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version))
    throw new Error('release: name one version, for instance 1.1.0');
  const previous = releases(root).at(-1);
  if (previous && !isNewer(version, previous))
    throw new Error(`release: ${version} does not come after ${previous}`);
  const changelog = readFileSync(join(root, CHANGELOG), 'utf8');
  const [before, unreleased] = changelog.split(UNRELEASED);
  const notes = unreleased?.split(/^## /m, 1)[0]!.trim();
  if (!notes) throw new Error(`release: "Unreleased" of ${CHANGELOG} says nothing`);
  if (values.tag && git(root, 'status', '--porcelain') !== '')
    throw new Error('release: commit your changes first');

  for (const { file, pattern, written } of PLACES) {
    const text = readFileSync(join(root, file), 'utf8');
    const changed = text.replace(pattern, (match, held: string) =>
      replaceLast(match, held, written(version)),
    );
    writeFileSync(join(root, file), changed);
  }
  const heading = `## ${version} (${new Date().toISOString().slice(0, 10)})\n`;
  writeFileSync(join(root, CHANGELOG), `${before}${UNRELEASED}\n${heading}${unreleased}`);

  const commit = ['commit', '--quiet', '--all', '--message', `chore(release): ${version}`];
  const tag = ['tag', '--annotate', '--message', version, `v${version}`];
  if (values.tag) {
    git(root, ...commit);
    git(root, ...tag);
    console.log(`Tagged v${version}. Publish it: git push --follow-tags`);
  } else {
    console.log(`Now: git commit --all --message 'chore(release): ${version}' && git ${tag.join(' ')}`);
  }
}

function isNewer(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) > 0;
}

function replaceLast(text: string, from: string, to: string): string {
  const start = text.lastIndexOf(from);
  return text.slice(0, start) + to + text.slice(start + from.length);
}

function git(root: string, ...parameters: string[]): string {
  return execFileSync('git', parameters, { cwd: root, encoding: 'utf8' }).trim();
}

/** The libs that integrators and data teams install, and the files of each that are published. */
const PUBLISHED: readonly { lib: string; file: RegExp }[] = [
  { lib: 'client', file: /\.tgz$/ },
  { lib: 'follower', file: /\.tgz$/ },
  { lib: 'client-python', file: /\.(whl|tar\.gz)$/ },
];

/**
 * Builds what integrators and data teams install: `@cxp/client` and `@cxp/follower` as tarballs of npm, `cxp_client` as a wheel and an sdist.
 * npm checks its tarballs as if it published them.
 * @param output the directory that holds these files afterwards, and nothing else
 * @returns their paths
 * @throws if a package can't be built or published
 */
export async function makePackages(output: string): Promise<string[]> {
  const env = { ...process.env, PYTHONPATH: await pathOfPythonBuild() };
  const projects = PUBLISHED.map(({ lib }) => lib).join();
  execFileSync('npx', ['nx', 'run-many', '-t', 'build', '-p', projects], { cwd: workspaceRoot, env });
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const made = PUBLISHED.flatMap(({ lib, file }) => {
    const built = join(workspaceRoot, 'dist/libs', lib);
    const files = readdirSync(built).filter((name) => file.test(name));
    if (files.length === 0) throw new Error(`release: the build of libs/${lib} has made no package`);
    return files.map((name) => {
      copyFileSync(join(built, name), join(output, name));
      chmodSync(join(output, name), 0o644); // Python's have 0600; a web server reads them.
      return join(output, name);
    });
  });
  const dryRun = ['publish', '--dry-run', '--loglevel=error'];
  for (const tarball of made.filter((path) => path.endsWith('.tgz')))
    execFileSync('npm', [...dryRun, tarball], { cwd: output, stdio: ['ignore', 'pipe', 'pipe'] });
  return made;
}

/** Debian's python3-build and python3-hatchling for `libs/client-python/build.sh`: unpacked if no Python of this machine has them. */
export async function pathOfPythonBuild(): Promise<string> {
  const hasBuild = (python: string) => {
    try {
      execFileSync(python, ['-c', 'import build, hatchling'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  if (['python3', '/usr/bin/python3'].some(hasBuild)) return process.env.PYTHONPATH ?? '';
  const unpacked = await Promise.all(['python3-build', 'python3-hatchling'].map(unpackedDebianPackage));
  return unpacked.map((root) => join(root, 'usr/lib/python3/dist-packages')).join(delimiter);
}
