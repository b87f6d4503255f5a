/*
 * Preloaded into a service (`node --require`): the most processor time that its main thread takes between two turns of a timer, which is how long
 * it keeps everybody waiting, whatever else the machine does. SIGUSR2 writes it, in milliseconds, to a
 * file of HOLD_FOLDER that is named by the process id, and begins anew.
 */
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');

const TURN_MS = 2;

let longest = 0;
let before = spent();

setInterval(() => {
  const now = spent();
  longest = Math.max(longest, now - before);
  before = now;
}, TURN_MS).unref();

process.on('SIGUSR2', () => {
  writeFileSync(join(process.env.HOLD_FOLDER, String(process.pid)), String(longest));
  longest = 0;
});

function spent() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
