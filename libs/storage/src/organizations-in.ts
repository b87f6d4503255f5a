import type { EntityManager } from 'typeorm';
import { textColumn } from './columns';
import { madeOnce, UnscopedStatement } from './statement';

/** Rows that one statement looks at: few organizations cost one statement, and many rows of one cost no more. */
const PAGE_ROWS = 500;

/** `rows` is a table, or one with a condition. $1: the organization before the first. */
const nextOrganizations = madeOnce(
  (rows: string) =>
    new UnscopedStatement(
      { id: textColumn('organization_id') },
      (list) => `SELECT ${list} FROM (
        SELECT organization_id FROM ${rows} AND organization_id > $1 ORDER BY organization_id LIMIT ${PAGE_ROWS}
      ) AS page GROUP BY organization_id ORDER BY organization_id`,
    ),
);

/**
 * The organizations that have rows in a table, in the order of its index that begins with them. The index is read in steps, each of which
 * passes over what is left of the last organization: to read it as a whole would take as long as there are rows.
 * @param condition SQL: of the rows that count
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
