import { MAX_PIECE_BYTES, precedingBytes, selectList } from '@cxp/storage';
import { PLACED_ROW } from './conversation-session.repository';
import { COUNT_COLUMNS } from './session-count.repository';

/** Which index the rows of a filter are read from. */
export type Scope = 'everything' | 'end_reasons' | 'agents';

const ORDER = 'conversation_updated_at, conversation_id, session_index, ticket_id';

/**
 * The parameters, each in a sub-select, so that the planner can't see its value: plans for values would look cheaper
 * than the one for any, and PostgreSQL would plan anew for every request, which takes longer than the rest.
 */
const ORGANIZATION = '(SELECT $1::text)';
const EMAILS = '(SELECT $2::text[])';
const ACCOUNTS = '(SELECT $3::bigint[])';
const END_REASONS = '(SELECT $4::text[])';
const OFFSET = '(SELECT $8::integer)';
const LIMIT = '(SELECT $9::integer)';

/** Of a count, what the wanted end reasons make up. */
const WANTED_ROWS = Object.entries(COUNT_COLUMNS)
  .map(
    ([endReason, column]) =>
      `CASE WHEN '${endReason}' = ANY (${END_REASONS}::text[]) THEN ${column} ELSE 0 END`,
  )
  .join(' + ');

/**
 * One statement, and so one snapshot, for a page, the total and the version of the schedule. Its plan is the same for any window and page:
 *
 * 1. `stretch`: how many rows there are in each of the counted stretches that make up the window.
 * 2. `edge`: the stretches that hold the page's first and last row, then the days and hours inside them that do.
 * 3. The rows between, less those of the first hour that belong to the pages before, up to the one that reaches `MAX_PIECE_BYTES`.
 *
 * $1 organization, $2 agent emails or null, $3 account ids or null, $4 end reasons, $5 to $7 the counted ranges of the
 * window (hours, start, end), $8 offset, $9 limit.
 */
export function pageStatement(scope: Scope): string {
  return `
    WITH agent AS MATERIALIZED (
      SELECT CASE WHEN ${EMAILS} IS NULL AND ${ACCOUNTS} IS NULL THEN ARRAY[0] ELSE ARRAY(
        SELECT agent_id FROM contact_center.session_agent
        WHERE organization_id = ${ORGANIZATION}
          AND (${EMAILS} IS NULL OR email = ANY (${EMAILS}::text[]))
          AND (${ACCOUNTS} IS NULL OR account_id = ANY (${ACCOUNTS}::bigint[]))
      ) END AS ids
    ), range AS (
      SELECT * FROM unnest(
        (SELECT $5::integer[]), (SELECT $6::timestamptz[]), (SELECT $7::timestamptz[])
      ) AS range (hours, starts_at, ends_at)
    ), stretch AS (
      SELECT range.hours, count.starts_at, count.starts_at + range.hours * interval '1 hour' AS ends_at, count.rows
      FROM range CROSS JOIN LATERAL (${countsOf('range.hours', 'range')}) AS count
      UNION ALL
      SELECT range.hours, range.starts_at, range.ends_at, count.rows
      FROM range CROSS JOIN LATERAL (
        SELECT count(*)::integer AS rows FROM (${sessionsOf(scope, 'range')}) AS session
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
    )
    SELECT
      total,
      (SELECT version FROM contact_center.human_schedule WHERE organization_id = ${ORGANIZATION}) AS "scheduleVersion",
      ${selectList(PLACED_ROW)}
    FROM (
      SELECT total, row.*, ${precedingBytes('row.bytes', ORDER)} AS preceding_bytes
      FROM total LEFT JOIN LATERAL (
        SELECT session.* FROM page CROSS JOIN LATERAL (
          SELECT * FROM (${sessionsOf(scope, 'page', `page.skipped + ${LIMIT}`)}) AS session
          ORDER BY ${ORDER}
          OFFSET page.skipped LIMIT ${LIMIT}
        ) AS session
      ) AS row ON TRUE
    ) AS row
    WHERE preceding_bytes < ${MAX_PIECE_BYTES}
    ORDER BY ${ORDER}`;
}

/** The counts of the wanted rows, by stretches of so many hours, between two bounds. */
function countsOf(hours: string, bounds: string): string {
  return `
    SELECT starts_at, sum(${WANTED_ROWS})::integer AS rows
    FROM contact_center.session_count
    WHERE organization_id = ${ORGANIZATION}
      AND agent_id = ANY ((SELECT ids FROM agent)::integer[])
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

/** The wanted rows between two bounds: of each agent and end reason so many, the first in order. */
function sessionsOf(scope: Scope, bounds: string, limit = 'NULL'): string {
  const of = (sources: string, condition: string) => `
    SELECT session.* FROM ${sources} CROSS JOIN LATERAL (
      SELECT * FROM contact_center.conversation_session
      WHERE organization_id = ${ORGANIZATION} ${condition}
        AND conversation_updated_at >= ${bounds}.starts_at AND conversation_updated_at < ${bounds}.ends_at
      ORDER BY ${ORDER}
      LIMIT ${limit}
    ) AS session`;
  switch (scope) {
    case 'everything':
      return of('(VALUES (TRUE)) AS everything', '');
    case 'end_reasons':
      return of(
        `unnest(${END_REASONS}) AS wanted (end_reason)`,
        'AND session_end_reason = wanted.end_reason',
      );
    case 'agents':
      return of(
        `agent CROSS JOIN unnest(agent.ids) AS wanted (agent_id) CROSS JOIN unnest(${END_REASONS}) AS reason (end_reason)`,
        'AND agent_id = wanted.agent_id AND session_end_reason = reason.end_reason',
      );
  }
}
