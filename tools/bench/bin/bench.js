require('../../../libs/testing/register.js');
require('../src/bench.ts')
  .main(process.argv.slice(2))
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
