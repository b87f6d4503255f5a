import { booleanColumn, Statement, textColumn } from '@cxp/storage';
import type { ExpiringData } from './retention';

/** Where a search goes on: after this, in the order of organizations, and then of age. */
type Place = readonly [organizationId: string, createdAt: string, id: string];

const FIRST = {
  text: ['-infinity', ''],
  uuid: ['-infinity', '00000000-0000-0000-0000-000000000000'],
} as const;

/**
 * Finds what has expired, some of an organization at a time. What was created too late is not read; what was created long ago may have changed
 * since.
 * @param sources SQL of tables, or of subqueries with a name, that have an index over `(organization_id, created_at, id)`, and `updated_at`
 * @param limit how many are looked at by one search
 */
export function oldestFirst(
  sources: readonly string[],
  idType: keyof typeof FIRST,
  limit: number,
): ExpiringData['find'] {
  const ofAll = (select: (source: string) => string) =>
    sources.map((source) => `(${select(source)})`).join(' UNION ALL ');
  // The limit is within, too: then each source is read in the order of its index.
  const oldest = new Statement(
    {
      id: textColumn('id'),
      createdAt: textColumn('created_at'),
      hasExpired: booleanColumn('updated_at < $4::timestamptz'),
    },
    (list) => `SELECT ${list} FROM (${ofAll(
      (source) => `SELECT id, created_at, updated_at FROM ${source}
        WHERE organization_id = $1 AND (created_at, id) > ($2::timestamptz, $3::${idType})
          AND created_at < $4::timestamptz
        ORDER BY organization_id, created_at, id LIMIT ${limit}`,
    )}) AS oldest
    ORDER BY oldest.created_at, oldest.id LIMIT ${limit}`,
  );
  const nextOrganization = new Statement(
    { id: textColumn('organization_id') },
    (list) => `SELECT ${list} FROM (${ofAll(
      (source) => `SELECT organization_id FROM ${source}
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
