import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SERVING_ROLE, testRun } from '../test-run';

/** Node.js itself, past Jest. */
const nodeRequire = createRequire(__filename);

it.each([
  ['a CommonJS package', 'typeorm', { DataSource }],
  ['an ES module', '@nestjs/common', { Injectable }],
])('loads %s as Node.js does, once for all test files of a worker', (_, name, exported) => {
  expect(nodeRequire(name)).toMatchObject(exported);
});

it('keeps modules of ours for the test files that come after, and not a test file', () => {
  const { modules } = nodeRequire('./runtime.js') as { modules: Map<string, { exports: unknown }> };
  modules.clear();
  expect(modules.get(nodeRequire.resolve('../test-run.ts'))?.exports).toEqual({ SERVING_ROLE, testRun });
  const testFiles = [...modules.keys()].filter((path) => /\.(spec|e2e|ci|affected|nightly)\.ts$/.test(path));
  expect(testFiles).toEqual([__filename]);
});

it('leaves no context of an earlier test file, which each promise would pay for', () => {
  const { testContexts } = nodeRequire('./runtime.js') as { testContexts: Set<AsyncLocalStorage<unknown>> };
  expect(Array.from(testContexts, (context) => context.getStore())).toEqual([expect.anything()]);
});

it('runs test files in the realm of the packages', () => {
  let thrown: unknown;
  try {
    nodeRequire('./missing');
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(Error);
});

describe('a change of the environment', () => {
  // Two environments of one worker, one after the other.
  const SameRealmEnvironment = nodeRequire('./same-realm-environment.js') as new () => { teardown(): void };

  it('is taken back at the end of the test file', () => {
    const environment = new SameRealmEnvironment();
    process.env.CXP_LEFT_BEHIND = 'yes';
    const before = globalThis.console;
    globalThis.console = new console.Console(process.stdout);
    environment.teardown();
    expect(process.env.CXP_LEFT_BEHIND).toBeUndefined();
    expect(globalThis.console).toBe(before);
  });
});
