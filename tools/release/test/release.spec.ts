import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { readSource } from '../src/build-images';
import { otherVersions, PLACES, releases, setVersion as release } from '../src/release';

const CHANGELOG = 'docker/CHANGELOG.md';

it('has one version: every other place has that of package.json', () => {
  expect(otherVersions()).toEqual([]);
});

describe('npm run release', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'cxp-release-'));
    for (const { file } of PLACES) cpSync(join(workspaceRoot, file), join(root, file), { recursive: true });
    writeFileSync(join(root, CHANGELOG), '# Changes\n\n## Unreleased\n\n- The first.\n');
    git('init', '--quiet');
    git('config', 'user.name', 'test');
    git('config', 'user.email', 'test@example.com');
    commit();
    jest.spyOn(console, 'log').mockImplementation(() => undefined);
  });

  afterEach(() => rmSync(root, { recursive: true }));

  it('writes the version to every place, a section of docker/CHANGELOG.md, a commit and a tag', () => {
    release(['3.10.0', '--tag'], root);

    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '3.10.0' });
    expect(read('docker/kubernetes/base/workloads.yaml')).toContain('name: migration-3-10-0\n');
    expect(otherVersions(root)).toEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect(read(CHANGELOG)).toBe(`# Changes\n\n## Unreleased\n\n## 3.10.0 (${today})\n\n- The first.\n`);
    expect(git('tag', '--points-at', 'HEAD')).toBe('v3.10.0');
    expect(git('status', '--porcelain')).toBe('');
  });

  it('changes nothing but the version, and puts later releases above earlier ones', () => {
    release(['3.9.0'], root);
    writeFileSync(join(root, CHANGELOG), read(CHANGELOG).replace('Unreleased\n', 'Unreleased\n\n- More.\n'));
    commit();
    release(['3.10.0'], root);

    expect(releases(root)).toEqual(['3.9.0', '3.10.0']);
    const lines = git('diff', '--unified=0', '--', ...PLACES.map(({ file }) => file)).split('\n');
    const removed = lines.filter((line) => /^-(?!-)/.test(line));
    const added = lines.filter((line) => /^\+(?!\+)/.test(line)).map((line) => line.replace('+', '-'));
    expect(removed.length).toBeGreaterThan(PLACES.length);
    expect(added).toEqual(removed.map((line) => line.replace(/3([.-])9\1/, '3$110$1')));
  });

  it.each([
    ['a version that is none', ['1.1'], 'name one version'],
    [
      'a version that does not come after the last one',
      ['3.9.9', '--tag'],
      '3.9.9 does not come after 3.10.0',
    ],
    [
      'a release of which docker/CHANGELOG.md says nothing',
      ['3.11.0'],
      '"Unreleased" of docker/CHANGELOG.md says',
    ],
  ])('refuses %s', (_, parameters, reason) => {
    release(['3.10.0', '--tag'], root);

    expect(() => release(parameters, root)).toThrow(reason);
    expect(git('status', '--porcelain')).toBe('');
  });

  it('refuses to tag what is not committed', () => {
    writeFileSync(join(root, 'package.json'), read('package.json').replace('"private"', '"private" '));
    expect(() => release(['3.10.0', '--tag'], root)).toThrow('commit your changes first');
  });

  it('calls an image by the version only at the commit of its tag', () => {
    const hash = (revision: string) => git('rev-parse', '--short=12', revision);
    release(['3.10.0', '--tag'], root);
    expect(readSource(root)).toEqual({ version: '3.10.0', commit: hash('HEAD') });

    writeFileSync(join(root, CHANGELOG), `${read(CHANGELOG)}\n`);
    expect(readSource(root)).toEqual({
      version: `3.10.0-${hash('HEAD')}-changed`,
      commit: `${hash('HEAD')}-changed`,
    });
    commit();
    expect(readSource(root)).toEqual({ version: `3.10.0-${hash('HEAD')}`, commit: hash('HEAD') });

    rmSync(join(root, '.git'), { recursive: true });
    expect(readSource(root)).toEqual({ version: '3.10.0' });
  });

  function read(file: string): string {
    return readFileSync(join(root, file), 'utf8');
  }

  function git(...parameters: string[]): string {
    // Above is no repository, whichever one the tests run in.
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(root) };
    return execFileSync('git', parameters, { cwd: root, encoding: 'utf8', env }).trim();
  }

  function commit(): void {
    git('add', '--all');
    git('commit', '--quiet', '--message', 'more');
  }
});
