#!/usr/bin/env node
// Runs the tests of the workspace, or of a project: run-tests.js <suite> [--durations] [--rootDir=<project>] [file …].
// Suites: test, ci, affected, nightly. What measures processor time or memory runs alone, after all other files.
// With CI set a file that failed is run once more, alone; if it passes then, the run is green and ends with a line `flaky: <file>`.
const { spawnSync } = require('node:child_process');
const { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative } = require('node:path');
const { FILE: DURATIONS } = require('../src/jest/sequencer.js');

const SUITES = {
  test: '{spec,e2e}',
  ci: 'ci',
  affected: 'affected',
  nightly: '{spec,e2e,ci,affected,nightly}',
};
const root = join(__dirname, '../../..');
const jest = require.resolve('jest/bin/jest');
/** A shorter file may run at any place. */
const LONG_SECONDS = 1;

const [suite, ...parameters] = process.argv.slice(2);
const kinds = SUITES[suite];
if (!kinds) throw new Error(`The suites are ${Object.keys(SUITES).join(', ')}`);
const renewsDurations = parameters.includes('--durations');
const jestParameters = parameters.filter((parameter) => parameter !== '--durations');
const jestOptions = jestParameters.filter((parameter) => parameter.startsWith('-'));
const directory = mkdtempSync(join(tmpdir(), 'cxp-tests-'));

// Random tests of a nightly run are others each time, and ten times as many.
if (suite === 'nightly') {
  process.env.CXP_TEST_SEED ??= String(Date.now() % 2 ** 31);
  process.env.CXP_TEST_RUNS_FACTOR ??= '10';
}
if (process.env.CXP_TEST_SEED) console.log(`To repeat: CXP_TEST_SEED=${process.env.CXP_TEST_SEED}`);

/** @returns the results of the test files; a run that may find none says something only of those that it finds */
function run(parametersOfRun, mayFindNone = false) {
  const outputFile = join(directory, 'results.json');
  rmSync(outputFile, { force: true });
  // What a failed test leaves open must not keep the run from its end.
  const options = ['--config', join(root, 'jest.preset.js'), '--passWithNoTests', '--forceExit'];
  const command = [jest, ...options, ...parametersOfRun];
  const { status, stderr } = spawnSync(process.execPath, [...command, '--json', '--outputFile', outputFile], {
    stdio: ['ignore', 'ignore', mayFindNone ? 'pipe' : 'inherit'],
    maxBuffer: Infinity,
    env: { ...process.env, CXP_TEST_SKIPS: join(directory, 'skips') },
  });
  if (stderr && !String(stderr).startsWith('No tests found')) process.stderr.write(stderr);
  if (!existsSync(outputFile)) process.exit(status || 1);
  const { testResults, success, wasInterrupted } = JSON.parse(readFileSync(outputFile, 'utf8'));
  if (wasInterrupted) process.exit(1);
  if (!success && !testResults.some(({ status }) => status === 'failed')) process.exit(1);
  return testResults;
}

function failedFiles(results) {
  return results.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

const matching = (pattern) => ['--testMatch', `<rootDir>/**/*.${pattern}.ts`];
// Options that take several values come last: they would take the files of the command line, too.
const beside = run([
  ...jestParameters,
  ...matching(kinds),
  '--testPathIgnorePatterns',
  '/node_modules/',
  '\\.measure\\.[a-z0-9]+\\.ts$',
]);
const alone = run([...jestParameters, '--runInBand', ...matching(`measure.${kinds}`)], true);
let results = [...beside, ...alone];

let flaky = [];
const failed = failedFiles(results);
if (process.env.CI && suite !== 'nightly' && failed.length) {
  console.error('Once more, alone: the files that failed.');
  const again = run([...jestOptions, '--runInBand', '--runTestsByPath', ...failed, ...matching(kinds)]);
  const isRunAgain = ({ name }) => again.some((result) => result.name === name);
  results = [...results.filter((result) => !isRunAgain(result)), ...again];
  flaky = again.filter(({ status }) => status === 'passed').map(({ name }) => name);
}

if (renewsDurations) {
  const durations = existsSync(DURATIONS) ? JSON.parse(readFileSync(DURATIONS, 'utf8')) : {};
  for (const { name, startTime, endTime } of results) {
    const seconds = Math.round((endTime - startTime) / 1000);
    if (seconds > LONG_SECONDS) durations[relative(root, name)] = seconds;
    else delete durations[relative(root, name)];
  }
  const known = Object.entries(durations).filter(([name]) => existsSync(join(root, name)));
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(known.sort()), undefined, 2)}\n`);
}

const tests = results.flatMap(({ assertionResults }) => assertionResults);
const count = (...statuses) => tests.filter(({ status }) => statuses.includes(status)).length;
const skips = join(directory, 'skips');
const reasons = existsSync(skips) ? readFileSync(skips, 'utf8').trim().split('\n') : [];
rmSync(directory, { recursive: true });

const red = failedFiles(results);
for (const reason of new Set(reasons)) console.log(reason);
console.log(
  `${count('passed')} passed, ${Math.max(count('failed'), red.length)} failed, ${count('pending', 'todo')} skipped`,
);
for (const name of flaky) console.log(`flaky: ${relative(root, name)}`);
if (!tests.length && !red.length) console.error('No test was found');
process.exit(tests.length && !red.length ? 0 : 1);
