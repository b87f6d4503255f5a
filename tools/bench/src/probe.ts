import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { imageEnvironment, type GuardedProcess } from '@cxp/local-servers';

/** What a process took since it was last asked, and what it keeps after its garbage was collected. */
export interface Probed {
  /** The longest that its event loop was held, in milliseconds of processor time, to about 5. */
  readonly holdMs: number;
  /** Of all its threads. */
  readonly processorMs: number;
  /** Bytes of its objects. */
  readonly used: number;
  /** Bytes that it has resident. */
  readonly resident: number;
}

/** The environment of a process that can be asked. */
export const PROBED = {
  NODE_OPTIONS: `${imageEnvironment().NODE_OPTIONS} -r ${join(__dirname, 'preloaded-probe.js')}`,
};

/** @throws when the process ends */
export async function probe(process: GuardedProcess): Promise<Probed> {
  const count = () => toldBy(process).length;
  const before = count();
  let hasEnded = false;
  void process.exited.then(() => (hasEnded = true));
  process.signal('SIGUSR2');
  while (count() === before) {
    await sleep(20);
    if (hasEnded) throw new Error(`The process ended:\n${process.output().slice(-2_000)}`);
  }
  return JSON.parse(toldBy(process).at(-1)!) as Probed;
}

function toldBy(process: GuardedProcess): string[] {
  return [...process.output().matchAll(/^PROBE (.*)$/gm)].map(([, json]) => json!);
}
