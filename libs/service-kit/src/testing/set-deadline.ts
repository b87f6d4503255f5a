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
