import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { bucketPage, countedPage, isWholeBuckets, type PageSql, pageValues } from '@cxp/change-feed';
import { nullable, numberColumn, Statement, type StatementMode, textColumn } from '@cxp/storage';
import type { ConversationSessionRow } from '../derivation';
import type { Instant } from '../instant';
import type { RowPosition } from './row-cursor';
import {
  type FilterName,
  FILTERS,
  type FilterValues,
  ORDER,
  ROW_KEY,
  SESSION_LIST,
  SESSIONS,
  STORED_ROW,
  type StoredKey,
  type StoredRow,
} from './stored-row';

export interface SessionFilter extends FilterValues {
  /** Compared with `updatedAt` of the conversation. */
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
}

interface SessionPage {
  /** Counts all pages. */
  readonly total: number;
  /** null without a schedule. */
  readonly scheduleVersion: string | null;
  readonly rows: StoredRow[];
}

export interface RowsOfConversation {
  readonly rows: StoredRow[];
  readonly hasMore: boolean;
  /** Changes when any row of the conversation changes. */
  readonly state: string;
}

const { table } = SESSIONS;

const BEFORE_ITS_ROWS = { sessionIndex: -1, ticketId: '0' };

const ROWS_OF_PAGE = `page CROSS JOIN LATERAL (
    SELECT * FROM ${table} WHERE organization_id = $1
      AND (${ROW_KEY}) = (page.conversation_id, page.session_index, page.ticket_id) OFFSET 0
  ) AS row`;

/** An empty page comes as one row without a document. */
const FOUND = {
  ...STORED_ROW,
  document: nullable(STORED_ROW.document),
  total: numberColumn('state.total'),
  scheduleVersion: nullable(textColumn('state.schedule_version')),
};

/** One statement reads the page, the total and the version of the schedule from one snapshot. */
function pageStatement({ page, total }: PageSql, mode: StatementMode) {
  return new Statement(
    FOUND,
    (list) => `${page}
     SELECT ${list} FROM (
       SELECT ${total} AS total, (
         SELECT version FROM contact_center.human_schedule WHERE organization_id = $1
       ) AS schedule_version
     ) AS state LEFT JOIN (SELECT row.* FROM ${ROWS_OF_PAGE}) AS row ON TRUE
     ORDER BY ${ORDER}`,
    mode,
  );
}

const PAGE_OF_BUCKETS = pageStatement(bucketPage(SESSIONS), 'prepared');

/** $2 end of the window, $3 to $6 position, $7 limit, $8 bytes before the last row, $9 on: filters (`conditions`). */
function rowsAfter(conditions: string) {
  return new Statement(
    { ...STORED_ROW, found: numberColumn('row.found') },
    (list) => `WITH page AS MATERIALIZED (
       SELECT ${SESSIONS.order.join(', ')} FROM ${table}
       WHERE organization_id = $1 AND conversation_updated_at < $2
         AND (${SESSIONS.order.join(', ')}) > ($3::timestamptz, $4, $5::integer, $6::bigint) ${conditions}
       ORDER BY ${SESSIONS.order.join(', ')} LIMIT $7
     )
     SELECT ${list} FROM (
       SELECT row.*, count(*) OVER () AS found, sum(row.bytes) OVER (ORDER BY ${ORDER}) - row.bytes AS bytes_before
       FROM ${ROWS_OF_PAGE}
     ) AS row WHERE row.bytes_before < $8 ORDER BY ${ORDER}`,
  );
}

/**
 * $3 and $4 key of the row before the first, $5 limit, $6 bytes before the last row. An empty result comes as one row of nulls.
 */
const ROWS_OF_CONVERSATION = new Statement(
  {
    ...STORED_ROW,
    document: nullable(STORED_ROW.document),
    total: numberColumn('state.total'),
    lastChange: numberColumn('state.last_change'),
    left: nullable(numberColumn('row.left')),
  },
  (list) => `SELECT ${list} FROM contact_center.record
     CROSS JOIN LATERAL (
       SELECT count(*) AS total, coalesce(max(change), 0)::float8 AS last_change FROM ${table}
       WHERE organization_id = $1 AND conversation_id = $2
     ) AS state
     LEFT JOIN LATERAL (
       SELECT *, sum(bytes) OVER in_order - bytes AS bytes_before, count(*) OVER () AS left FROM (
         SELECT * FROM ${table}
         WHERE organization_id = $1 AND conversation_id = $2 AND (session_index, ticket_id) > ($3::integer, $4::bigint)
         ORDER BY session_index, ticket_id LIMIT $5
       ) AS row WINDOW in_order AS (ORDER BY session_index, ticket_id)
     ) AS row ON row.bytes_before < $6
     WHERE record.organization_id = $1 AND record.type = 'conversation' AND record.id = $2 AND record.data IS NOT NULL
     ORDER BY row.session_index, row.ticket_id`,
  'prepared',
);

@Injectable()
export class ConversationSessionReadModel {
  constructor(private readonly manager: EntityManager) {}

  async page(
    organizationId: string,
    filter: SessionFilter,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<SessionPage> {
    const { text, values } = conditionsOf(filter, 7);
    const isCounted = values.length > 0 || !isWholeBuckets(filter.startsAt, filter.endsAt);
    // A prepared plan does not know the filter's values and compares each row with each of them.
    const statement = isCounted ? pageStatement(countedPage(SESSIONS, text), 'planned') : PAGE_OF_BUCKETS;
    const found = await statement.run(this.manager, [
      ...pageValues(organizationId, SESSION_LIST, filter, range),
      ...values,
    ]);
    const { total, scheduleVersion } = found[0]!;
    return { total, scheduleVersion, rows: found.filter(hasDocument) };
  }

  /** Stops after `limit` rows or after the row that passes `bytes`. */
  async after(
    organizationId: string,
    filter: SessionFilter,
    position: RowPosition,
    { limit, bytes = Number.MAX_SAFE_INTEGER }: { readonly limit: number; readonly bytes?: number },
  ): Promise<{ readonly rows: StoredRow[]; readonly hasMore: boolean }> {
    const { text, values } = conditionsOf(filter, 9);
    // The position before every row of the window has no key.
    const isBefore = Date.parse(position.updatedAt) < filter.startsAt;
    const { conversationId, sessionIndex, ticketId } = position;
    const place = isBefore
      ? [new Date(filter.startsAt), '', 0, '0']
      : [position.updatedAt, conversationId, sessionIndex, ticketId];
    const rows = await rowsAfter(text).run(this.manager, [
      organizationId,
      new Date(filter.endsAt),
      ...place,
      limit,
      bytes,
      ...values,
    ]);
    const found = rows[0]?.found ?? 0;
    return { rows, hasMore: found === limit || found > rows.length };
  }

  /**
   * Stops after `limit` rows or after the row that passes `bytes`.
   * @param after key of the row before the first
   * @returns undefined if the organization has no such conversation
   */
  async ofConversation(
    organizationId: string,
    conversationId: string,
    { limit, bytes }: { readonly limit: number; readonly bytes: number },
    { sessionIndex, ticketId }: Pick<StoredKey, 'sessionIndex' | 'ticketId'> = BEFORE_ITS_ROWS,
  ): Promise<RowsOfConversation | undefined> {
    const key = [organizationId, conversationId, sessionIndex, ticketId] as const;
    const found = await ROWS_OF_CONVERSATION.run(this.manager, [...key, limit + 1, bytes]);
    if (found.length === 0) return undefined;
    const { total, lastChange, left } = found[0]!;
    const rows = found.slice(0, limit).filter(hasDocument);
    return { rows, hasMore: rows.length < (left ?? 0), state: `${total} ${lastChange}` };
  }
}

function hasDocument<Row extends { readonly document: unknown }>(
  row: Row,
): row is Row & { readonly document: ConversationSessionRow } {
  return row.document !== null;
}

/** @param first number of the first parameter */
function conditionsOf(filter: FilterValues, first: number) {
  const names = filtersIn(filter);
  const conditions = names.map(
    (name, place) => `AND ${FILTERS[name].column} = ANY ($${first + place}::${FILTERS[name].type}[])`,
  );
  return { text: conditions.join(' '), values: names.map((name) => filter[name]!) };
}

export function filtersIn(filter: FilterValues): FilterName[] {
  return (Object.keys(FILTERS) as FilterName[]).filter((name) => filter[name] !== undefined);
}
