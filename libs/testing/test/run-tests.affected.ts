import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '../src/local-servers';

const RUN_TESTS = join(workspaceRoot, 'libs/testing/bin/run-tests.js');

/** A test that fails the first time only. */
const FLAKY = (directory: string) => `
  const { existsSync, writeFileSync } = require('node:fs');
  it('passes when it is run again', () => {
    const hasRun = existsSync('${directory}/has-run');
    writeFileSync('${directory}/has-run', '');
    expect(hasRun).toBe(true);
  });`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-run-tests-'));
  mkdirSync(join(directory, 'test'));
  writeFileSync(join(directory, 'project.json'), '{"tags":[]}');
});
afterEach(() => rmSync(directory, { recursive: true }));

function run(files: Record<string, string>, environment: NodeJS.ProcessEnv, suite = 'test') {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, 'test', name), text);
  const { CI: _, ...env } = process.env;
  const args = [RUN_TESTS, suite, `--rootDir=${directory}`];
  const options = { env: { ...env, ...environment }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, lines: stdout.trim().split('\n'), stderr };
}

describe('with CI set, a file that fails', () => {
  it.each([
    ['test', 'rare.spec.ts'],
    ['ci', 'rare.ci.ts'],
    ['affected', 'rare.measure.affected.ts'],
  ])('and passes when it runs alone is green, and is named: %s, %s', (suite, name) => {
    const { status, lines, stderr } = run({ [name]: FLAKY(directory) }, { CI: 'true' }, suite);
    expect({ status, lines }).toEqual({
      status: 0,
      lines: ['1 passed, 0 failed, 0 skipped', expect.stringMatching(`^flaky: .*test/${name}$`)],
    });
    expect(stderr).toMatch(/✕ passes when it is run again[^]*✓ passes when it is run again/);
  });

  it('twice is red', () => {
    const files = { 'red.spec.ts': "it('fails', () => expect(1).toBe(2));" };
    expect(run(files, { CI: 'true' })).toMatchObject({ status: 1, lines: ['0 passed, 1 failed, 0 skipped'] });
  });

  it('is red at once in the nightly run, which has a seed of its own', () => {
    const { status, lines } = run({ 'rare.spec.ts': FLAKY(directory) }, { CI: 'true' }, 'nightly');
    expect({ status, lines }).toEqual({
      status: 1,
      lines: [expect.stringMatching(/^To repeat: CXP_TEST_SEED=\d+$/), '0 passed, 1 failed, 0 skipped'],
    });
  });
});

it('runs what measures after all others, and says how many tests were skipped, and why', () => {
  const log = join(directory, 'order');
  const test = (name: string) => `it('runs', () => require('node:fs').appendFileSync('${log}', '${name} '));`;
  const skipped =
    "import { needs } from '@cxp/testing';\nneeds('kubectl', false).it('renders', () => undefined);";
  const files = {
    'memory.measure.spec.ts': `${test('measure')} it('is last', () => expect(require('node:fs').readFileSync('${log}', 'utf8')).toMatch(/^(a b|b a) measure $/));`,
    'a.spec.ts': test('a'),
    'b.spec.ts': test('b'),
    'c.spec.ts': skipped,
  };
  expect(run(files, { CI: 'true' })).toMatchObject({
    status: 0,
    lines: [
      expect.stringMatching(/^skipped without kubectl \(Debian 12 has/),
      '4 passed, 0 failed, 1 skipped',
    ],
  });
});

it('is red when a program is missing that could be installed', () => {
  const files = {
    'c.spec.ts': "import { needs } from '@cxp/testing';\nneeds('curl', false).it('calls', () => undefined);",
  };
  expect(run(files, { CI: 'true' })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('curl is missing: .ci/setup installs it'),
  });
  expect(run(files, {})).toMatchObject({
    status: 0,
    lines: ['skipped without curl: .ci/setup installs it', '0 passed, 0 failed, 1 skipped'],
  });
});

it('is red when no test is found', () => {
  expect(run({}, {})).toMatchObject({ status: 1, stderr: expect.stringContaining('No test was found') });
});
