require('../../../libs/testing/register.js');
require('../src/build/build-deployable.ts')
  .buildDeployable(process.argv[2])
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
