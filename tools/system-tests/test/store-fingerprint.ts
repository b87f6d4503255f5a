import { createHash } from 'node:crypto';
import type { TestService } from '@cxp/service-kit/testing';

/** SQL: hints are sent whatever is called. */
const ENDPOINT_WITHOUT_ATTEMPTS = `jsonb_build_array(row.organization_id, row.id, row.url, row.description, row.secret, row.previous_secrets)::text`;

/**
 * Hashes of all that a service keeps in both stores: equal if nothing was stored in between. Counters of rate limits
 * are left out.
 * @param organizationId only its rows, and the keys that name it
 */
export async function fingerprintOf(
  { dataSource, redis }: Pick<TestService, 'dataSource' | 'redis'>,
  organizationId?: string,
) {
  const tables: { name: string }[] = await dataSource.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY name`,
  );
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const content = name.endsWith('.webhook_endpoint') ? ENDPOINT_WITHOUT_ATTEMPTS : 'row::text';
      const [table]: { hash: string | null }[] = await dataSource.query(
        `SELECT md5(string_agg(${content}, ',' ORDER BY ${content})) AS hash FROM ${name} AS row
         WHERE $1::text IS NULL OR to_jsonb(row) ->> 'organization_id' = $1`,
        [organizationId],
      );
      return [name, table!.hash] as const;
    }),
  );
  const keys = (await redis.keys(organizationId ? `*${organizationId}*` : '*'))
    .filter((key) => !/^(rate-limit|ready):/.test(key))
    .sort();
  const values = await Promise.all(
    keys.map(async (key) => {
      const value = (await redis.dumpBuffer(key)) as Buffer | null;
      return [key, value && createHash('md5').update(value).digest('hex')] as const;
    }),
  );
  return Object.fromEntries([...rows, ...values]);
}
