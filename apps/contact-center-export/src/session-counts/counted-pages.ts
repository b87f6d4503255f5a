import { MAX_PIECE_BYTES } from '@cxp/storage';
import { countedRanges } from './counted-ranges';
import {
  choosesGroups,
  chosenGroups,
  groupArrays,
  groupParameters,
  groupValues,
  type SessionFilter,
} from './filters';
import { END_REASONS, ALL_GROUPS, rowsOfEndReasons } from './session-count-changes';

/** Which index the rows of a filter are read from. */
export type Scope = 'everything' | 'end_reasons' | 'groups';

export function scopeOf(filter: SessionFilter): Scope {
  if (choosesGroups(filter)) return 'groups';
  return filter.sessionEndReasons ? 'end_reasons' : 'everything';
}

/** The function counts in 32 bits; a page further on is past the end. */
const MAX_ROWS = 2_000_000_000;

/** The values of the arguments of `pageFunction`. */
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
    ...groupValues(filter),
  ];
}

/** SQL: calls the function of a scope with `countedPageValues`. */
export function countedPage(scope: Scope): string {
  return `contact_center.session_page_of_${scope}(
    $1, $2::smallint[], $3::timestamptz[], $4::timestamptz[], $5, $6, $7::text[], ${groupArrays(8)}
  )`;
}

/** SQL: the columns of a row that the functions return, with their types, beside its document. */
const COLUMNS = {
  conversation_updated_at: 'timestamptz',
  conversation_id: 'text',
  session_index: 'integer',
  ticket_id: 'bigint',
  bot_handoff_at: 'timestamptz',
  first_agent_assigned_at: 'timestamptz',
  first_agent_message_at: 'timestamptz',
  conversation_resolved_at: 'timestamptz',
};

/** SQL: the functions that find pages, one for each scope, for a migration. */
export function createPageFunctions(): string {
  return (['everything', 'end_reasons', 'groups'] as const).map(pageFunction).join('');
}

/**
 * A page, the total and the version of the schedule, of one snapshot because the function is stable. It finds the page by counts, so that the
 * last one costs what the first does:
 *
 * 1. The counted stretches that make up the window give the total, and say which of them hold the page's first and last row.
 * 2. Within these, the days and hours that do.
 * 3. The rows of these hours, less those that belong to the pages before, up to the one that reaches `MAX_PIECE_BYTES`; first only their
 *    sizes, because no more documents are to be read.
 *
 * On a cluster of Citus it runs where the organization is. Each of its statements reads one table, by the organization: others are planned
 * anew for each call, which takes longer than the rest.
 */
function pageFunction(scope: Scope): string {
  const rows = (selected: string, limit: string) => `
    SELECT ${selected} FROM ${rowsBetween(scope, 'page_start', 'page_end', 'skipped + row_limit')}
    ORDER BY row.conversation_updated_at, row.conversation_id, row.session_index, row.ticket_id
    OFFSET skipped LIMIT ${limit}`;
  return `
  CREATE FUNCTION contact_center.session_page_of_${scope}(
    organization_id text, range_hours smallint[], range_starts timestamptz[], range_ends timestamptz[],
    first_row integer, row_limit integer, end_reasons text[], ${groupParameters()}
  ) RETURNS TABLE (
    total integer, schedule_version uuid, document text,
    ${Object.entries(COLUMNS)
      .map(([column, type]) => `${column} ${type}`)
      .join(', ')}
  ) LANGUAGE plpgsql STABLE AS $function$
  #variable_conflict use_column
  DECLARE
    group_ids integer[] := ARRAY[${ALL_GROUPS}];
    stretches refcursor;
    counted record;
    range_start timestamptz;
    range_end timestamptz;
    place integer;
    -- The stretches of the first and of the last row, and how many rows there are before each.
    first_hours smallint;
    first_start timestamptz;
    first_before integer;
    last_hours smallint;
    last_start timestamptz;
    last_before integer;
    -- The one that is narrowed.
    stretch_hours smallint;
    stretch_start timestamptz;
    before integer;
    page_start timestamptz;
    page_end timestamptz;
    skipped integer;
    fitting integer := 0;
    bytes_left bigint := ${MAX_PIECE_BYTES};
  BEGIN
    total := 0;
    SELECT version INTO schedule_version FROM contact_center.human_schedule WHERE organization_id = $1;
    ${scope === 'groups' ? `SELECT array_agg(group_id) INTO group_ids ${chosenGroups(8)};` : ''}
    FOR range IN 1 .. cardinality(range_hours) LOOP
      stretch_hours := range_hours[range];
      range_start := range_starts[range];
      range_end := range_ends[range];
      IF stretch_hours = 0 THEN
        OPEN stretches FOR SELECT range_start AS starts_at, count(*)::integer AS rows
          FROM ${rowsBetween(scope, 'range_start', 'range_end', 'NULL')};
      ELSE
        OPEN stretches FOR ${countsOf('stretch_hours', 'range_start', 'range_end')};
      END IF;
      LOOP
        FETCH stretches INTO counted;
        EXIT WHEN NOT FOUND;
        CONTINUE WHEN counted.rows = 0;
        IF total <= first_row THEN
          first_hours := stretch_hours; first_start := counted.starts_at; first_before := total;
        END IF;
        IF total < first_row::bigint + row_limit THEN
          last_hours := stretch_hours; last_start := counted.starts_at; last_before := total; page_end := range_end;
        END IF;
        total := total + counted.rows;
      END LOOP;
      CLOSE stretches;
    END LOOP;
    IF first_row < total AND row_limit > 0 THEN
      ${narrowed('first', 'first_row')}
      page_start := stretch_start;
      skipped := first_row - before;
      ${
        scope === 'everything'
          ? ''
          : `${narrowed('last', 'LEAST(first_row::bigint + row_limit, total) - 1')}
      IF stretch_hours > 0 THEN page_end := stretch_start + stretch_hours * interval '1 hour'; END IF;`
      }
      FOR counted IN ${rows('row.bytes', 'row_limit')} LOOP
        fitting := fitting + 1;
        bytes_left := bytes_left - counted.bytes;
        EXIT WHEN bytes_left <= 0;
      END LOOP;
      RETURN QUERY ${rows(
        `total, schedule_version, row.document::text, ${Object.keys(COLUMNS)
          .map((column) => `row.${column}`)
          .join(', ')}`,
        'fitting',
      )};
    END IF;
    IF fitting = 0 THEN RETURN NEXT; END IF;
  END $function$;
  `;
}

/** The counts of the wanted rows, by stretches of so many hours, between two bounds. */
function countsOf(hours: string, start: string, end: string): string {
  return `SELECT starts_at, sum(${rowsOfEndReasons('$7')})::integer AS rows
    FROM contact_center.session_count
    WHERE organization_id = $1 AND group_id = ANY (group_ids) AND hours = ${hours}
      AND starts_at >= ${start} AND starts_at < ${end}
    GROUP BY starts_at ORDER BY starts_at`;
}

/** Replaces the stretch of the first or the last row by the shorter ones inside it that hold its place. */
function narrowed(edge: 'first' | 'last', place: string): string {
  return `
      stretch_hours := ${edge}_hours;
      stretch_start := ${edge}_start;
      before := ${edge}_before;
      place := ${place};
      WHILE stretch_hours > 1 LOOP
        range_start := stretch_start;
        range_end := stretch_start + stretch_hours * interval '1 hour';
        stretch_hours := CASE stretch_hours WHEN 768 THEN 24 ELSE 1 END;
        FOR counted IN ${countsOf('stretch_hours', 'range_start', 'range_end')} LOOP
          EXIT WHEN place < before + counted.rows;
          before := before + counted.rows;
        END LOOP;
        stretch_start := counted.starts_at;
      END LOOP;`;
}

/** SQL: the wanted rows between two bounds; of each group and end reason so many, the first in the order of the export. */
function rowsBetween(scope: Scope, start: string, end: string, limit: string): string {
  const within = `organization_id = $1 AND conversation_updated_at >= ${start} AND conversation_updated_at < ${end}`;
  if (scope === 'everything') return `contact_center.conversation_session AS row WHERE ${within}`;
  const [sources, condition] =
    scope === 'end_reasons'
      ? ['unnest($7) AS wanted (end_reason)', 'session_end_reason = wanted.end_reason']
      : [
          'unnest(group_ids) AS wanted (group_id) CROSS JOIN unnest($7) AS reason (end_reason)',
          'group_id = wanted.group_id AND session_end_reason = reason.end_reason',
        ];
  return `(
      SELECT session.* FROM ${sources} CROSS JOIN LATERAL (
        SELECT * FROM contact_center.conversation_session WHERE ${within} AND ${condition}
        ORDER BY conversation_updated_at, conversation_id, session_index, ticket_id
        LIMIT ${limit}
      ) AS session
    ) AS row`;
}
