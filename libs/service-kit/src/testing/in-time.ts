import { setTimeout as sleep } from 'node:timers/promises';

/** How much longer than a client's own timer a call may take. */
const TOLERANCE_MS = 500;

/** @returns the status of a call, and whether it came before a client gives up that waits so long: on a busy machine its timer is late, too */
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
