import type { DataSource } from 'typeorm';

/** The key space of the locks below, so that nobody else's advisory locks meet them. */
const STREAM_LOCK = 0x7273;

/**
 * Does something while this process alone may read an area's stream; nothing when another one does. PostgreSQL gives
 * the lock back when the process dies, whichever way.
 * @param use is given a check that throws when the lock was lost with its connection
 */
export async function withStreamLock(
  dataSource: DataSource,
  area: string,
  use: (isHeld: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const connection = dataSource.createQueryRunner();
  try {
    const [lock] = (await connection.query('SELECT pg_try_advisory_lock($1, hashtext($2)) AS taken', [
      STREAM_LOCK,
      area,
    ])) as [{ taken: boolean }];
    if (!lock.taken) return;
    try {
      await use(async () => void (await connection.query('SELECT 1')));
    } finally {
      await connection.query('SELECT pg_advisory_unlock($1, hashtext($2))', [STREAM_LOCK, area]);
    }
  } finally {
    await connection.release();
  }
}
