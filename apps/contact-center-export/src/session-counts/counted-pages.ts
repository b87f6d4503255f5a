import { countedRanges } from './counted-ranges';
import { choosesGroups, chosenGroups, groupValues, type SessionFilter } from './filters';
import { END_REASONS, ALL_GROUPS, rowsOfEndReasons } from './session-count-changes';

/** Which index the rows of a filter are read from. */
export type Scope = 'everything' | 'end_reasons' | 'groups';

export function scopeOf(filter: SessionFilter): Scope {
  if (choosesGroups(filter)) return 'groups';
  return filter.sessionEndReasons ? 'end_reasons' : 'everything';
}

/**
 * The parameters, each in a sub-select, so that the planner can't see its value: plans for values would look cheaper
 * than the one for any, and PostgreSQL would plan anew for every request, which takes longer than the rest.
 */
export const ORGANIZATION = '(SELECT $1::text)';
const OFFSET = '(SELECT $5::integer)';
export const LIMIT = '(SELECT $6::integer)';
const WANTED_END_REASONS = '(SELECT $7::text[])';

/** The statement counts in 32 bits; a page further on is past the end. */
const MAX_ROWS = 2_000_000_000;

/** The values of a statement that begins with `countedPage`: $2 to $4 are the counted ranges of the window, from $8 on the groups. */
export function countedPageValues(
  organizationId: string,
  filter: SessionFilter,
  offset: number,
  limit: number,
): unknown[] {
  const ranges = countedRanges(filter.startsAt, filter.endsAt);
  return [
    organizationId,
    ranges.map(({ hours }) => hours),
    ranges.map(({ startsAt }) => new Date(startsAt)),
    ranges.map(({ endsAt }) => new Date(endsAt)),
    Math.min(offset, MAX_ROWS),
    limit,
    filter.sessionEndReasons ?? END_REASONS,
    ...(choosesGroups(filter) ? groupValues(filter) : []),
  ];
}

/**
 * SQL: CTEs that find a page by counts, so that the last one costs what the first does. Their plan is the same for any window and page:
 *
 * 1. `stretch`: how many rows there are in each of the counted stretches that make up the window; `total`: in all of them.
 * 2. `edge`: the stretches that hold the page's first and last row, then the days and hours inside them that do.
 * 3. `page`: the bounds of these hours, and how many rows at their beginning belong to the pages before.
 */
export function countedPage(scope: Scope): string {
  return `
    WITH wanted_group AS MATERIALIZED (
      SELECT ${scope === 'groups' ? `ARRAY(${chosenGroups(8)})` : `ARRAY[${ALL_GROUPS}]`} AS ids
    ), range AS (
      SELECT * FROM unnest(
        (SELECT $2::integer[]), (SELECT $3::timestamptz[]), (SELECT $4::timestamptz[])
      ) AS range (hours, starts_at, ends_at)
    ), stretch AS (
      SELECT range.hours, count.starts_at, count.starts_at + range.hours * interval '1 hour' AS ends_at, count.rows
      FROM range CROSS JOIN LATERAL (${countsOf('range.hours', 'range')}) AS count
      UNION ALL
      SELECT range.hours, range.starts_at, range.ends_at, count.rows
      FROM range CROSS JOIN LATERAL (
        SELECT count(*)::integer AS rows FROM (${rowsBetween(scope, 'range')}) AS session
      ) AS count
      WHERE range.hours = 0
    ), total AS (
      SELECT coalesce(sum(rows), 0)::integer AS total FROM stretch
    ), edge AS (
      SELECT place.number AS place, stretch.*
      FROM total
      CROSS JOIN LATERAL (VALUES (${OFFSET}), (LEAST(${OFFSET} + ${LIMIT}, total) - 1)) AS place (number)
      JOIN (
        SELECT hours, starts_at, ends_at, rows, sum(rows) OVER (ORDER BY starts_at) - rows AS rows_before FROM stretch
      ) AS stretch ON place.number >= stretch.rows_before AND place.number < stretch.rows_before + stretch.rows
    ), edge_day AS (
      ${narrowed('edge', 768, 24)}
    ), edge_hour AS (
      ${narrowed('edge_day', 24, 1)}
    ), page AS (
      SELECT min(starts_at) AS starts_at, max(ends_at) AS ends_at, (${OFFSET} - min(rows_before))::integer AS skipped
      FROM edge_hour
    )`;
}

/** The counts of the wanted rows, by stretches of so many hours, between two bounds. */
function countsOf(hours: string, bounds: string): string {
  return `
    SELECT starts_at, sum(${rowsOfEndReasons(`${WANTED_END_REASONS}::text[]`)})::integer AS rows
    FROM contact_center.session_count
    WHERE organization_id = ${ORGANIZATION}
      AND group_id = ANY ((SELECT ids FROM wanted_group)::integer[])
      AND hours = ${hours}
      AND starts_at >= ${bounds}.starts_at AND starts_at < ${bounds}.ends_at
    GROUP BY starts_at`;
}

/** Replaces edges of so many hours by the shorter stretches inside them that hold their places. */
function narrowed(edge: string, hours: number, shorter: number): string {
  return `
    SELECT place, hours, starts_at, ends_at, rows_before FROM ${edge} WHERE hours <> ${hours}
    UNION ALL
    SELECT edge.place, ${shorter}, part.starts_at, part.starts_at + interval '${shorter} hours', part.rows_before
    FROM ${edge} AS edge CROSS JOIN LATERAL (
      SELECT starts_at, rows, edge.rows_before + sum(rows) OVER (ORDER BY starts_at) - rows AS rows_before
      FROM (${countsOf(String(shorter), 'edge')}) AS count
    ) AS part
    WHERE edge.hours = ${hours} AND edge.place >= part.rows_before AND edge.place < part.rows_before + part.rows`;
}

/** SQL: the wanted rows between two bounds; of each group and end reason so many, the first in the order of the export. */
export function rowsBetween(scope: Scope, bounds: string, limit = 'NULL'): string {
  const of = (sources: string, condition: string) => `
    SELECT session.* FROM ${sources} CROSS JOIN LATERAL (
      SELECT * FROM contact_center.conversation_session
      WHERE organization_id = ${ORGANIZATION} ${condition}
        AND conversation_updated_at >= ${bounds}.starts_at AND conversation_updated_at < ${bounds}.ends_at
      ORDER BY conversation_updated_at, conversation_id, session_index, ticket_id
      LIMIT ${limit}
    ) AS session`;
  switch (scope) {
    case 'everything':
      return of('(VALUES (TRUE)) AS everything', '');
    case 'end_reasons':
      return of(
        `unnest(${WANTED_END_REASONS}) AS wanted (end_reason)`,
        'AND session_end_reason = wanted.end_reason',
      );
    case 'groups':
      return of(
        `wanted_group CROSS JOIN unnest(wanted_group.ids) AS wanted (group_id) CROSS JOIN unnest(${WANTED_END_REASONS}) AS reason (end_reason)`,
        'AND group_id = wanted.group_id AND session_end_reason = reason.end_reason',
      );
  }
}
