require('../../../libs/testing/register.js');
try {
  require('../src/release.ts').main(process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
