import { setTimeout as sleep } from 'node:timers/promises';

/** Below the time limit of a test, so that nothing still waits after a test that has failed. */
const TIMEOUT_MS = 20_000;

/**
 * Waits until a check holds.
 * @throws if the check does not hold within the time limit, 20 seconds by default
 */
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
