require('../../../libs/local-servers/register.js');
require('../src/main.ts').main();
