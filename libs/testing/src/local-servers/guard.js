// Runs one process for a parent that may end at any moment, and ends that process with it. Each line on standard input is a
// signal to pass on; the end of standard input means that the parent has closed it or is gone, however it went.
// Plain JavaScript, so that it starts at once. Its argument is the JSON of a `GuardedCommand`.
const { spawn } = require('node:child_process');
const { rmSync } = require('node:fs');
const { constants } = require('node:os');
const { createInterface } = require('node:readline');

const { command, stopSignal, killAfterMs, removeDirectory } = JSON.parse(process.argv[2]);
const [program, ...args] = command;

// A process group of its own: what the process starts is signalled with it.
const guarded = spawn(program, args, { detached: true, stdio: ['ignore', 'inherit', 'inherit'] });
if (guarded.pid) process.send(guarded.pid);
process.disconnect();

function signal(name) {
  try {
    process.kill(-guarded.pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function finish(status) {
  if (guarded.pid) signal('SIGKILL');
  if (removeDirectory)
    rmSync(removeDirectory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.exit(status);
}

guarded.on('exit', (code, name) => finish(code ?? 128 + constants.signals[name]));
guarded.on('error', (error) => {
  process.stderr.write(`${error.message}\n`, () => finish(127));
});

let stopping = false;
function stop() {
  if (stopping) return;
  stopping = true;
  signal(stopSignal);
  setTimeout(signal, killAfterMs, 'SIGKILL');
}

createInterface({ input: process.stdin }).on('line', signal).on('close', stop);
// Somebody who ends a whole tree of processes signals this one too.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, stop);

// The reader of what the process prints may be gone before it.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
