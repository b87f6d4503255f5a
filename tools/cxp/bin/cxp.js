#!/usr/bin/env node
require('../../../libs/testing/register.js');
require('../src/main.ts').main(process.argv);
