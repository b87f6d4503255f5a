require('../../../libs/testing/register.js');
require('../src/release.ts')
  .main(process.argv.slice(2))
  .catch((error) => {
    console.error(error.stderr?.toString() || error.message);
    process.exitCode = 1;
  });
