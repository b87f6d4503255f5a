#!/usr/bin/env node
require('../../../libs/local-servers/register');
require('../src/serve').main(process.argv[2]);
