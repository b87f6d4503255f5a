const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { paths } = JSON.parse(readFileSync(join(__dirname, 'tsconfig.base.json'), 'utf8')).compilerOptions;

// Nest 12 and its dependencies are ES modules: Jest loads only CommonJS, so they are transformed with our own code.
const esModules = [
  '@nestjs',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  'load-esm',
  'jose',
  // Of exceljs, which reads workbooks in tests.
  'archiver',
  'compress-commons',
  'crc32-stream',
  'is-stream',
  'readdir-glob',
  'zip-stream',
];

const { jsc, ...config } = JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'));
const swc = { ...config, jsc: { ...jsc, baseUrl: __dirname, paths } };
const swcTsx = { ...swc, jsc: { ...swc.jsc, parser: { ...swc.jsc.parser, tsx: true } } };

/** One preset: `jest --config jest.preset.js` for the workspace, with `--rootDir <project>` for a project. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/**/*.{spec,e2e}.ts'],
  globalSetup: join(__dirname, 'libs/testing/src/jest/global-setup.ts'),
  globalTeardown: join(__dirname, 'libs/testing/src/jest/global-teardown.ts'),
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.local/'],
  transform: {
    // Files that a page brings to the browser are imported as text.
    '\\.(css|client\\.js)$': join(__dirname, 'libs/testing/src/jest/text-file.js'),
    '^.+\\.[cm]?[jt]s$': ['@swc/jest', swc],
    '^.+\\.tsx$': ['@swc/jest', swcTsx],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'json', 'css'],
  passWithNoTests: false,
  testTimeout: 120_000,
  maxWorkers: 2,
  // Each file loads its modules anew, and a worker does not give their memory back.
  workerIdleMemoryLimit: '1GB',
};
