require('../../../libs/testing/register.js');
require('../src/main.ts').main();
