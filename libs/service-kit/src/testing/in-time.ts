import { setTimeout as sleep } from 'node:timers/promises';

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
