const asyncHooks = require('node:async_hooks');
const { createRequire } = require('node:module');
const { compileFunction, constants } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/** Jest empties a registry for each test file: this one keeps its modules for the test files that come after. */
class WorkerModules extends Map {
  clear() {}
}

/** Our own modules that this worker has loaded, by path. */
const modules = new WorkerModules();
/** Where the stack of an error finds the source maps of these modules, by path. */
const sourceMaps = new Map();
/** Where Jest keeps which test runs: it makes one for each test file. */
const testContexts = new Set();
class TestContext extends asyncHooks.AsyncLocalStorage {
  constructor() {
    super();
    testContexts.add(this);
  }
}

/** The runtime of the test file that runs now. */
let current;

/**
 * Loads modules as Node.js does: once for a worker and not once for each test file. Packages, and modules of Node.js, are loaded by Node.js
 * itself, ES modules included. Our own sources import each other by relative paths (the transform resolves the aliases), so what is not
 * relative is a package. Only test files may use `jest`: it belongs to one of them. No module is mocked. Of Jest's own modules only that with
 * the tests of a file is loaded for each of them.
 * Goes with `same-realm-environment.js`.
 */
module.exports = class Runtime extends JestRuntime {
  static modules = modules;
  static testContexts = testContexts;

  constructor(...args) {
    super(...args);
    current = this;
    this.registries.moduleRegistry = modules;
    this.transformCache.sourceMaps = sourceMaps;
    this.executor.compile = (source, filename) =>
      compileFunction(source, this.executor.injectedModuleParameters, {
        filename,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
  }

  requireModuleOrMock(from, name) {
    // A module may import another one after the test file that loaded it has ended.
    if (/^(\/|\.{1,2}(\/|$))/.test(name) || name === '@jest/globals')
      return JestRuntime.prototype.requireModuleOrMock.call(current, from, name);
    return createRequire(from)(name);
  }

  requireInternalModule(from, to) {
    if (to === 'node:async_hooks') return { ...asyncHooks, AsyncLocalStorage: TestContext };
    return to ? createRequire(from)(to) : super.requireInternalModule(from);
  }

  teardown() {
    super.teardown();
    // Each that is left costs time at each promise of the test files that come after.
    for (const context of testContexts) context.disable();
    testContexts.clear();
    modules.delete(this._testPath);
  }
};
