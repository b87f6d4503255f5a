/**
 * Runs TypeScript: `node -r libs/testing/register.js file.ts`, or `require` it first in a JavaScript file of a `bin` folder.
 * Compiles with the same .swcrc as tests and builds (decorators and their metadata included) and resolves the aliases of
 * tsconfig.base.json; types are checked by `nx typecheck`, not here.
 */
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { transformFileSync } = require('@swc/core');

const workspaceRoot = resolve(__dirname, '../..');
const { jsc, ...config } = JSON.parse(readFileSync(join(workspaceRoot, '.swcrc'), 'utf8'));
const { paths } = JSON.parse(readFileSync(join(workspaceRoot, 'tsconfig.base.json'), 'utf8')).compilerOptions;
const options = { ...config, jsc: { ...jsc, baseUrl: workspaceRoot, paths }, swcrc: false };

process.setSourceMapsEnabled(true);
require.extensions['.ts'] = (module, filename) => {
  module._compile(transformFileSync(filename, options).code, filename);
};
