require('../../../libs/testing/register.js');
require('../src/build-images.ts')
  .main(process.argv.slice(2))
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
