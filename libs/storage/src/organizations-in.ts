import type { EntityManager } from 'typeorm';
import { textColumn } from './columns';
import { memoize, UnscopedStatement } from './statement';

/** Rows of one statement: few organizations take one statement, and many rows of one take no more. */
const PAGE_ROWS = 500;

/** `rows` is a table, or one with a condition. $1: the organization before the first. */
const nextOrganizations = memoize(
  (rows: string) =>
    new UnscopedStatement(
      { id: textColumn('organization_id') },
      (list) => `SELECT ${list} FROM (
        SELECT organization_id FROM ${rows} AND organization_id > $1 ORDER BY organization_id LIMIT ${PAGE_ROWS}
      ) AS page GROUP BY organization_id ORDER BY organization_id`,
    ),
);

/**
 * In index order. The index is read in steps that skip the rest of the last organization: a full read would grow with the rows.
 * @param condition SQL: the rows that count
 */
export async function organizationsIn(
  manager: EntityManager,
  table: string,
  condition = 'true',
): Promise<string[]> {
  const all: string[] = [];
  for (;;) {
    const page = await nextOrganizations(`${table} WHERE ${condition}`).run(manager, [all.at(-1) ?? '']);
    if (page.length === 0) return all;
    all.push(...page.map(({ id }) => id));
  }
}
