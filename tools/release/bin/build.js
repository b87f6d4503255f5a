#!/usr/bin/env node
// build.js <project root> [deployable|package|program]
require('../../../libs/testing/register.js');
const BUILDS = {
  deployable: () => require('../src/build/build-deployable.ts').buildDeployable,
  package: () => require('../src/build/build-package.ts').buildPackage,
  program: () => require('../src/build/build-package.ts').buildProgram,
};
const [projectRoot, kind = 'deployable'] = process.argv.slice(2);
BUILDS[kind]()(projectRoot).catch((error) => {
  console.error(error.stdout || error.message);
  process.exitCode = 1;
});
