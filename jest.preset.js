const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { paths } = JSON.parse(readFileSync(join(__dirname, 'tsconfig.base.json'), 'utf8')).compilerOptions;

const { jsc, ...config } = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));
const swc = { ...config, jsc: { ...jsc, baseUrl: __dirname, paths } };
const swcTsx = { ...swc, jsc: { ...swc.jsc, parser: { ...swc.jsc.parser, tsx: true } } };

/** One preset: `jest --config jest.preset.js` for the workspace, with `--rootDir <project>` for a project. */
module.exports = {
  testEnvironment: join(__dirname, 'libs/testing/src/jest/same-realm-environment.js'),
  runtime: join(__dirname, 'libs/testing/src/jest/runtime.js'),
  testMatch: ['<rootDir>/**/*.{spec,e2e}.ts'],
  testSequencer: join(__dirname, 'libs/testing/src/jest/sequencer.js'),
  setupFiles: [join(__dirname, 'libs/testing/src/random.ts')],
  globalSetup: join(__dirname, 'libs/testing/src/jest/global-setup.ts'),
  globalTeardown: join(__dirname, 'libs/testing/src/jest/global-teardown.ts'),
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/'],
  transform: {
    // What a page brings to the browser is imported as text.
    '\\.(css|client\\.js)$': join(__dirname, 'libs/testing/src/jest/text-file.js'),
    '^.+\\.[cm]?[jt]s$': [require.resolve('@swc/jest'), swc],
    '^.+\\.tsx$': [require.resolve('@swc/jest'), swcTsx],
  },
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'json', 'css'],
  passWithNoTests: false,
  testTimeout: 120_000,
  maxWorkers: 2,
  // class-validator keeps the classes of each file.
  workerIdleMemoryLimit: '1GB',
};
