require('../../../libs/testing/register.js');
require('../src/build-project.ts')
  .buildProject(process.argv[2])
  .catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
