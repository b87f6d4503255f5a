import { setTimeout as sleep } from 'node:timers/promises';

/** Below the time limit of a test, so that nothing goes on waiting behind a test that has failed. */
const TIMEOUT_MS = 20_000;

/**
 * Waits until a check holds.
 * @throws when it has not within 20 seconds
 */
export async function eventually(check: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`Not within ${TIMEOUT_MS} ms: ${check.toString()}`);
    await sleep(10);
  }
}
