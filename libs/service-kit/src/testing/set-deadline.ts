import { REQUEST_MS, setRequestMs } from '@cxp/storage';

/** What services have in production. */
export const REAL_DEADLINE_MS = REQUEST_MS;

/** On a busy machine an ordinary request may take so long. */
const PATIENT_MS = 20_000;

/**
 * Requests of services that start from now on may take this long, in the process of the test, and in processes that it starts. `startTestService`
 * gives them all time, unless its environment sets another (`CXP_TEST_DEADLINE_MS`).
 */
export function setDeadline(milliseconds = PATIENT_MS): void {
  setRequestMs(milliseconds);
  process.env.CXP_TEST_DEADLINE_MS = String(milliseconds);
}
