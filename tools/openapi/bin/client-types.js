require('../../../libs/testing/register.js');
require('../src/client-types.ts')
  .writeClientTypes()
  .catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
