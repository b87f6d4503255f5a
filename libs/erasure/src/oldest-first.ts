import { booleanColumn, Statement, textColumn } from '@cxp/storage';
import type { ExpiringData } from './retention';

/** Where a search continues: after this, in the order of organizations, and then of age. */
type Place = readonly [organizationId: string, createdAt: string, id: string];

const FIRST = {
  text: ['-infinity', ''],
  uuid: ['-infinity', '00000000-0000-0000-0000-000000000000'],
} as const;

/** A table, and SQL of the age of its rows. */
export interface Aged {
  readonly table: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/**
 * Finds what has expired, some of an organization at a time. What was created too late is not read; what was created long ago may have changed
 * since.
 * @param sources tables, each with an index over the organization, `createdAt` and `id`
 * @param limit how many are looked at by one search
 */
export function oldestFirst(
  sources: readonly Aged[],
  idType: keyof typeof FIRST,
  limit: number,
): ExpiringData['find'] {
  const ofAll = (select: (source: Aged) => string) =>
    sources.map((source) => `(${select(source)})`).join(' UNION ALL ');
  // The limit is within, too: then each source is read in the order of its index.
  const oldest = new Statement(
    {
      id: textColumn('id'),
      createdAt: textColumn('created_at'),
      hasExpired: booleanColumn('updated_at < $4::timestamptz'),
    },
    (list) => `SELECT ${list} FROM (${ofAll(
      ({
        table,
        createdAt,
        updatedAt,
      }) => `SELECT id, ${createdAt} AS created_at, ${updatedAt} AS updated_at FROM ${table}
        WHERE organization_id = $1 AND (${createdAt}, id) > ($2::timestamptz, $3::${idType})
          AND ${createdAt} < $4::timestamptz
        ORDER BY organization_id, ${createdAt}, id LIMIT ${limit}`,
    )}) AS oldest
    ORDER BY oldest.created_at, oldest.id LIMIT ${limit}`,
  );
  const nextOrganization = new Statement(
    { id: textColumn('organization_id') },
    (list) => `SELECT ${list} FROM (${ofAll(
      ({ table }) => `SELECT organization_id FROM ${table}
        WHERE organization_id > $1 ORDER BY organization_id LIMIT 1`,
    )}) AS next
    ORDER BY next.organization_id LIMIT 1`,
  );
  return async (manager, before, after) => {
    const place = after === undefined ? (['', ...FIRST[idType]] as const) : (JSON.parse(after) as Place);
    const [organizationId] = place;
    const found = await oldest.run(manager, [...place, before]);
    const last = found.at(-1);
    if (last) {
      const ids = found.filter(({ hasExpired }) => hasExpired).map(({ id }) => id);
      return { organizationId, ids, place: JSON.stringify([organizationId, last.createdAt, last.id]) };
    }
    const next = await nextOrganization.first(manager, [organizationId]);
    return next && { organizationId: next.id, ids: [], place: JSON.stringify([next.id, ...FIRST[idType]]) };
  };
}
