#!/usr/bin/env node
require('../../../libs/testing/register');
require('../src/serve').main(process.argv[2]);
