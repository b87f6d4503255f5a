#!/usr/bin/env node
require('../../../libs/testing/register.js');
require('../src/build/build-package.ts')
  .buildPackage(process.argv[2])
  .catch((error) => {
    console.error(error.stdout || error);
    process.exitCode = 1;
  });
