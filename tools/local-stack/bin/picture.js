#!/usr/bin/env node
require('../../../libs/local-servers/register');
void require('../src/picture').main();
