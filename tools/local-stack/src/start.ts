import { setTimeout as sleep } from 'node:timers/promises';
import { type OnStop, startLocalStack } from './local-stack';
import { readSettings } from './settings';
import { welcome } from './welcome';

/** Ctrl-C also reaches a command that is under way, and its end may be noticed before the signal. In milliseconds. */
const SIGNAL_DELAY_MS = 500;

/** `npm start`: in the foreground until Ctrl-C, which leaves no process behind. */
export async function main(): Promise<void> {
  const stops: Parameters<OnStop>[0][] = [];
  let stopping = false;
  const stop = async (status: number) => {
    if (stopping) return;
    stopping = true;
    for (const stopOne of stops.reverse()) await stopOne();
    process.exit(status);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
  // The terminal may be closed before the services have printed their last lines.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  setInterval(() => undefined, 60_000); // Guarded processes don't keep this one alive.

  const fail = async (reason: string) => {
    await sleep(SIGNAL_DELAY_MS);
    if (!stopping) console.error(`npm start: ${reason}`);
    await stop(1);
  };
  try {
    const settings = readSettings(process.env);
    const { facts, broken } = await startLocalStack(
      settings,
      process.env,
      (stopOne) => stops.push(stopOne),
      (step) => console.log(`npm start: ${step}`),
    );
    console.log(welcome(facts));
    await fail(await broken);
  } catch (error) {
    await fail(error instanceof Error ? error.message : String(error));
  }
}
