import { createHash } from 'node:crypto';
import type { TestService } from '@cxp/service-kit/testing';

/**
 * All that a service keeps in both stores, condensed: equal when nothing was stored in between. Counters of rate limits
 * are left out, and streams but for their length: reading them changes them.
 */
export async function fingerprintOf({ dataSource, redis }: Pick<TestService, 'dataSource' | 'redis'>) {
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
