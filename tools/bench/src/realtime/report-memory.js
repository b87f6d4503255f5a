// Loaded into a measured process: SIGUSR2 makes it give back what nothing uses any more and tell what is left.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
process.on('SIGUSR2', () => {
  collectGarbage();
  process.stdout.write(`MEMORY ${JSON.stringify(process.memoryUsage())}\n`);
});
