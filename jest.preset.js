const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { paths } = JSON.parse(readFileSync(join(__dirname, 'tsconfig.base.json'), 'utf8')).compilerOptions;

// Nest 12 and what it brings are ES modules: Jest loads only CommonJS, so they are transformed with our own code.
const esModules = [
  '@nestjs',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@tokenizer',
  'load-esm',
  'jose',
  'content-disposition',
];

/** One preset for every project: `jest --config jest.preset.js --rootDir <project>`. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/**/*.{spec,e2e}.ts'],
  globalSetup: join(__dirname, 'libs/testing/src/jest/global-setup.ts'),
  globalTeardown: join(__dirname, 'libs/testing/src/jest/global-teardown.ts'),
  transform: {
    '^.+\\.[cm]?[jt]s$': ['@swc/jest', JSON.parse(readFileSync(join(__dirname, '.swcrc'), 'utf8'))],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules.join('|')})/)`],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'json'],
  moduleNameMapper: Object.fromEntries(
    Object.entries(paths).map(([alias, [target]]) => [
      `^${alias.replace('*', '(.*)')}$`,
      join(__dirname, target.replace('*', '$1')),
    ]),
  ),
  passWithNoTests: false,
  testTimeout: 30_000,
  maxWorkers: 2,
};
