const { createRequire } = require('node:module');
const { compileFunction, constants } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/**
 * Loads packages, and modules of Node.js, as Node.js does: once for a worker and not once for each test file, ES modules included. Our own
 * sources import each other by relative paths (the transform resolves the aliases), so what is not relative is a package.
 * Goes with `same-realm-environment.js`.
 */
module.exports = class Runtime extends JestRuntime {
  constructor(...args) {
    super(...args);
    this.executor.compile = (source, filename) =>
      compileFunction(source, this.executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModuleOrMock(from, name) {
    if (/^(\/|\.{1,2}(\/|$))/.test(name) || name === '@jest/globals')
      return super.requireModuleOrMock(from, name);
    return createRequire(from)(name);
  }
};
