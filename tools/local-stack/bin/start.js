#!/usr/bin/env node
require('../../../libs/testing/register');
void require('../src/start').main();
