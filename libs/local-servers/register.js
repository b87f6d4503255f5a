/**
 * Runs TypeScript: `node -r libs/local-servers/register.js file.ts`, or `require` it first in a JavaScript file of a `bin` folder.
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

const withTsx = { ...options, jsc: { ...options.jsc, parser: { ...jsc.parser, tsx: true } } };

process.setSourceMapsEnabled(true);
require.extensions['.ts'] = (module, filename) => {
  module._compile(transformFileSync(filename, options).code, filename);
};
require.extensions['.tsx'] = (module, filename) => {
  module._compile(transformFileSync(filename, withTsx).code, filename);
};
// SQL, and files that a page brings to the browser, are imported as text.
require.extensions['.css'] = (module, filename) => {
  module.exports = { __esModule: true, default: readFileSync(filename, 'utf8') };
};
require.extensions['.sql'] = require.extensions['.css'];
const loadScript = require.extensions['.js'];
require.extensions['.js'] = (module, filename) => {
  const load = filename.endsWith('.client.js') ? require.extensions['.css'] : loadScript;
  load(module, filename);
};
