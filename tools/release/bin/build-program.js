#!/usr/bin/env node
require('../../../libs/testing/register.js');
require('../src/build/build-program.ts')
  .buildProgram(process.argv[2])
  .catch((error) => {
    console.error(error.stdout || error);
    process.exitCode = 1;
  });
