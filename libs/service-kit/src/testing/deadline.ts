import { setTimeout as sleep } from 'node:timers/promises';
import { REQUEST_MS, setRequestMs } from '@cxp/storage';

export const REAL_DEADLINE_MS = REQUEST_MS;

/** Milliseconds; ordinary requests may take that long on a busy machine. */
const PATIENT_MS = 20_000;

/**
 * Sets the deadline of services that start later, in this process or its children. `startTestService` sets a patient one,
 * unless its environment has `CXP_TEST_DEADLINE_MS`.
 */
export function setDeadline(milliseconds = PATIENT_MS): void {
  setRequestMs(milliseconds);
  process.env.CXP_TEST_DEADLINE_MS = String(milliseconds);
}

/** Milliseconds by which a call may exceed a client's timer, which is late on a busy machine. */
const TOLERANCE_MS = 500;

/** @returns the status, and whether it came before a client with this timeout gives up */
export async function statusInTime(
  call: () => Promise<Response>,
  patienceMs = 2_000,
): Promise<{ status: number; isInTime: boolean }> {
  const startedAt = performance.now();
  const control = sleep(patienceMs).then(() => performance.now() - startedAt);
  const { status, body } = await call();
  await body?.cancel();
  const tookMs = performance.now() - startedAt;
  return { status, isInTime: tookMs < (await control) + TOLERANCE_MS };
}
