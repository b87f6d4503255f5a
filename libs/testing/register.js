/**
 * Runs TypeScript: `node -r libs/testing/register.js file.ts`, or `require` it first in a JavaScript file of a `bin` folder.
 * Compiles with the same .swcrc as tests and builds (decorators and their metadata included) and resolves the aliases of
 * tsconfig.base.json; types are checked by `npm run typecheck`, not here.
 */
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join, resolve } = require('node:path');

const workspaceRoot = resolve(__dirname, '../..');
const { jsc, ...config } = JSON.parse(readFileSync(join(workspaceRoot, '.swcrc'), 'utf8'));
const { paths } = JSON.parse(readFileSync(join(workspaceRoot, 'tsconfig.base.json'), 'utf8')).compilerOptions;
const options = { ...config, jsc: { ...jsc, baseUrl: workspaceRoot, paths }, swcrc: false };

const withTsx = { ...options, jsc: { ...options.jsc, parser: { ...jsc.parser, tsx: true } } };

// What was compiled is kept: a command of cxp needs some 150 files.
const CACHE = join(workspaceRoot, 'node_modules/.cache/cxp');
mkdirSync(CACHE, { recursive: true });
enableCompileCache(join(CACHE, 'bytecode'));

function compiled(filename, options) {
  const { mtimeMs, size } = statSync(filename);
  const key = JSON.stringify([filename, mtimeMs, size, options, process.version]);
  const kept = join(CACHE, `${createHash('sha256').update(key).digest('hex')}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { code } = require('@swc/core').transformFileSync(filename, options);
    writeFileSync(`${kept}.${process.pid}`, code);
    renameSync(`${kept}.${process.pid}`, kept);
    return code;
  }
}

process.setSourceMapsEnabled(true);
require.extensions['.ts'] = (module, filename) => module._compile(compiled(filename, options), filename);
require.extensions['.tsx'] = (module, filename) => module._compile(compiled(filename, withTsx), filename);
// What a page brings to the browser is imported as text.
require.extensions['.css'] = (module, filename) => {
  module.exports = { __esModule: true, default: readFileSync(filename, 'utf8') };
};
const loadScript = require.extensions['.js'];
require.extensions['.js'] = (module, filename) => {
  const load = filename.endsWith('.client.js') ? require.extensions['.css'] : loadScript;
  load(module, filename);
};
