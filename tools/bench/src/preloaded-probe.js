// Loaded into a measured process (`-r`). On SIGUSR2 it collects garbage, and prints what the process took since it was last asked
// and what it keeps.
const { openSync, readSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const SAMPLE_MS = 5;

/** The guard of the process gets the same options. */
if (!process.argv[1]?.endsWith('guard.js')) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  const schedule = openSync('/proc/thread-self/schedstat');
  const line = Buffer.alloc(64);
  /** Processor time of the thread that runs the event loop, in milliseconds. */
  const loopMs = () =>
    Number(line.toString('latin1', 0, readSync(schedule, line, 0, 64, 0)).split(' ')[0]) / 1e6;

  // Of processor time, not of the clock: what else the machine does holds no loop.
  let [last, longest] = [loopMs(), 0];
  const sample = () => {
    const now = loopMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  setInterval(sample, SAMPLE_MS).unref();

  let usage = process.cpuUsage();
  process.on('SIGUSR2', () => {
    sample();
    const { user, system } = process.cpuUsage(usage);
    collectGarbage();
    const { heapUsed, external, rss } = process.memoryUsage();
    const taken = {
      holdMs: longest,
      processorMs: (user + system) / 1e3,
      used: heapUsed + external,
      resident: rss,
    };
    process.stdout.write(`PROBE ${JSON.stringify(taken)}\n`);
    [last, longest, usage] = [loopMs(), 0, process.cpuUsage()];
  });
}
