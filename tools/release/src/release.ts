import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { makePackages } from './packages';

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
