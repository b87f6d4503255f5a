import { readFileSync } from 'node:fs';
import type { GuardedProcess } from '@cxp/testing';

/** The most memory that a running process ever had resident, in megabytes (Linux). */
export function peakResidentMegabytes({ guardPid }: GuardedProcess): number {
  const pid = readFileSync(`/proc/${guardPid}/task/${guardPid}/children`, 'utf8').trim();
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}
