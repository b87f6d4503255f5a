import { setTimeout as sleep } from 'node:timers/promises';

/** Below a test's time limit, so that nothing still waits after a failed test. */
const TIMEOUT_MS = 20_000;

/** @throws if the check does not hold within 20 seconds */
export async function eventually(
  check: () => Promise<boolean> | boolean,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${check.toString()}`);
    await sleep(10);
  }
}
