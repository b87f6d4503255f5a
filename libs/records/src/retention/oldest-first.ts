import { booleanColumn, Statement, textColumn, UnscopedStatement } from '@cxp/storage';
import type { ExpiringData } from './retention.job';

/** Before the first row of an organization. */
const START = {
  text: ['-infinity', ''],
  uuid: ['-infinity', '00000000-0000-0000-0000-000000000000'],
} as const;

export interface Aged {
  readonly table: string;
  readonly updatedAt: string;
}

/**
 * Finds expired rows, some of an organization at a time. Rows created after the expiry are not read; older rows may have
 * changed since.
 * @param aged a table with an index over the organization, `created_at` and `id`
 * @param limit rows of one search
 */
export function oldestFirst(
  { table, updatedAt }: Aged,
  idType: keyof typeof START,
  limit: number,
): ExpiringData['find'] {
  /** $1 organization, $2 and $3 the position, $4 the instant of expiry. */
  const oldest = new Statement(
    {
      id: textColumn('id'),
      createdAt: textColumn('created_at'),
      hasExpired: booleanColumn('updated_at < $4::timestamptz'),
    },
    (list) => `SELECT ${list} FROM (
      SELECT id, created_at, ${updatedAt} AS updated_at FROM ${table}
      WHERE organization_id = $1 AND (created_at, id) > ($2::timestamptz, $3::${idType})
        AND created_at < $4::timestamptz
      ORDER BY organization_id, created_at, id LIMIT ${limit}
    ) AS oldest ORDER BY oldest.created_at, oldest.id`,
  );
  const nextOrganization = new UnscopedStatement(
    { id: textColumn('organization_id') },
    (list) => `SELECT ${list} FROM ${table} WHERE organization_id > $1 ORDER BY organization_id LIMIT 1`,
  );
  return async function* (manager, before) {
    for (let last = ''; ;) {
      const next = await nextOrganization.first(manager, [last]);
      if (!next) return;
      const organizationId = (last = next.id);
      let place: readonly string[] = START[idType];
      for (;;) {
        const found = await oldest.run(manager, [organizationId, ...place, before]);
        const end = found.at(-1);
        if (!end) break;
        place = [end.createdAt, end.id];
        yield { organizationId, ids: found.filter(({ hasExpired }) => hasExpired).map(({ id }) => id) };
      }
    }
  };
}
