import { DEADLINE_MS, setTestDeadline } from '../http/request-deadline';

/** What services have in production. */
export const REAL_DEADLINE_MS = DEADLINE_MS;

/** On a busy machine an ordinary request may take so long. */
const PATIENT_MS = 20_000;

/**
 * Requests may wait this long for their stores from now on: those of services in the process of the test, and of processes that it starts.
 * `startTestService` gives them all time; tests whose stores hang give them less.
 */
export function setDeadline(milliseconds = PATIENT_MS): void {
  setTestDeadline(milliseconds);
  process.env.CXP_TEST_DEADLINE_MS = String(milliseconds);
}

/** The same for as long as something goes on. */
export async function withDeadline<Result>(
  milliseconds: number,
  work: () => Promise<Result>,
): Promise<Result> {
  setDeadline(milliseconds);
  return work().finally(() => setDeadline());
}
