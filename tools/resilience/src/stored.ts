import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { TestService } from '@cxp/service-kit/testing';

/**
 * All that a service keeps in both stores, condensed: equal when nothing was stored in between. Counters of rate limits
 * are left out, and streams but for their length: reading them changes them.
 */
export async function fingerprintOf({ dataSource, redis }: Pick<TestService, 'dataSource' | 'redis'>) {
  await allEventsAreSent(dataSource);
  const tables: { name: string }[] = await dataSource.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY name`,
  );
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const [table]: { hash: string | null }[] = await dataSource.query(
        `SELECT md5(string_agg(row::text, ',' ORDER BY row::text)) AS hash FROM ${name} AS row`,
      );
      return [name, table!.hash] as const;
    }),
  );
  const keys = (await redis.keys('*')).filter((key) => !key.startsWith('rate-limit:')).sort();
  const values = await Promise.all(
    keys.map(async (key) => {
      if ((await redis.type(key)) === 'stream') return [key, await redis.xlen(key)] as const;
      const value = (await redis.dumpBuffer(key)) as Buffer | null;
      return [key, value && createHash('md5').update(value).digest('hex')] as const;
    }),
  );
  return Object.fromEntries([...rows, ...values]);
}

/** What changed in a conversation is sent on to the other services soon after it is stored, and leaves the outbox then. */
async function allEventsAreSent(dataSource: DataSource): Promise<void> {
  const [outbox]: { exists: boolean }[] = await dataSource.query(
    `SELECT to_regclass('webchat.outbox') IS NOT NULL AS exists`,
  );
  while (outbox!.exists) {
    const [waiting]: { events: number }[] = await dataSource.query(
      'SELECT count(*)::int AS events FROM webchat.outbox',
    );
    if (waiting!.events === 0) return;
    await sleep(20);
  }
}
