import type { DataSource } from 'typeorm';

/** How long one transaction holds the lock, in milliseconds: a long transaction looks like a forgotten one. */
const RENEW_AFTER_MS = 30_000;

/**
 * Does something while no other process holds the same lock; nothing when another one does. PostgreSQL gives the lock back
 * when the process dies, whichever way. The lock belongs to a transaction, not to a session, so that it also works behind a
 * pooler that shares sessions.
 * @param locks the data source `WORK_DATA_SOURCE`: a connection that holds a lock is held for long
 * @param space the key space of the lock, one per use
 * @param use is given a check that throws when the lock is lost; to be called at least every minute
 */
export async function withExclusiveLock(
  locks: DataSource,
  space: number,
  name: string,
  use: (isHeld: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const connection = locks.createQueryRunner();
  let heldSince = 0;
  const acquire = async (): Promise<boolean> => {
    await connection.startTransaction();
    heldSince = performance.now();
    const [lock] = (await connection.query('SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS taken', [
      space,
      name,
    ])) as [{ taken: boolean }];
    return lock.taken;
  };
  try {
    if (!(await acquire())) return;
    await use(async () => {
      if (performance.now() - heldSince < RENEW_AFTER_MS) {
        await connection.query('SELECT 1');
        return;
      }
      await connection.commitTransaction();
      if (!(await acquire())) throw new Error('another process holds the lock');
    });
  } finally {
    await connection.rollbackTransaction().catch(() => undefined);
    await connection.release();
  }
}
