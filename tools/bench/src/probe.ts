import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  const answers = () => [...process.output().matchAll(/^PROBE (.*)$/gm)].map(([, json]) => json!);
  const before = answers().length;
  let hasEnded = false;
  void process.exited.then(() => (hasEnded = true));
  process.signal('SIGUSR2');
  while (answers().length === before) {
    await sleep(20);
    if (hasEnded) throw new Error(`The process ended:\n${process.output().slice(-2_000)}`);
  }
  return JSON.parse(answers().at(-1)!) as Probed;
}

/** The most memory that a running process had resident, ever or since `forgetPeak`, in megabytes (Linux). */
export function peakResidentMegabytes(process: GuardedProcess): Promise<number> {
  return statusMegabytes(process, 'VmHWM');
}

/** The memory that a running process has resident, in megabytes (Linux). */
export function residentMegabytes(process: GuardedProcess): Promise<number> {
  return statusMegabytes(process, 'VmRSS');
}

export async function forgetPeak({ pid }: GuardedProcess): Promise<void> {
  writeFileSync(`/proc/${await pid}/clear_refs`, '5');
}

/** Files, connections and the like that a running process has open (Linux). */
export async function openDescriptors({ pid }: GuardedProcess): Promise<number> {
  return readdirSync(`/proc/${await pid}/fd`).length;
}

async function statusMegabytes({ pid }: GuardedProcess, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = readFileSync(`/proc/${await pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
  return Number(kilobytes) / 1_024;
}
