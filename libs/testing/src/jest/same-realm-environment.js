const { ModuleMocker } = require('jest-mock');

/** Runs test files in the realm of their worker, so that their `Error`, `Array` and `Uint8Array` are those of the packages. */
module.exports = class SameRealmEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;

  #console = console;
  #exit = process.exit;
  #env = { ...process.env };

  setup() {}

  /** Takes back what Jest and the test file changed. */
  teardown() {
    globalThis.console = this.#console;
    process.exit = this.#exit;
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    for (const name of ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']) delete globalThis[Symbol.for(name)];
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return globalThis;
  }
};
