require('../../../libs/testing/register.js');
require('../src/main.ts').main(process.argv.slice(2));
