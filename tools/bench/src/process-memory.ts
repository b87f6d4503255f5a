import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { GuardedProcess } from '@cxp/local-servers';

/** The most memory that a running process had resident, ever or since `forgetPeak`, in megabytes (Linux). */
export function peakResidentMegabytes(process: GuardedProcess): number {
  return statusMegabytes(process, 'VmHWM');
}

/** The memory that a running process has resident, in megabytes (Linux). */
export function residentMegabytes(process: GuardedProcess): number {
  return statusMegabytes(process, 'VmRSS');
}

export function forgetPeak(process: GuardedProcess): void {
  writeFileSync(`/proc/${commandPid(process)}/clear_refs`, '5');
}

/** Files, connections and the like that a running process has open (Linux). */
export function openDescriptors(process: GuardedProcess): number {
  return readdirSync(`/proc/${commandPid(process)}/fd`).length;
}

function statusMegabytes(process: GuardedProcess, field: 'VmHWM' | 'VmRSS'): number {
  const status = readFileSync(`/proc/${commandPid(process)}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`${field}:\\s+(\\d+) kB`).exec(status) ?? [];
  return Number(kilobytes) / 1_024;
}

function commandPid({ guardPid }: GuardedProcess): string {
  return readFileSync(`/proc/${guardPid}/task/${guardPid}/children`, 'utf8').trim();
}
