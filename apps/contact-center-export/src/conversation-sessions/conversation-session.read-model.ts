import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import {
  bucketPage,
  countedPage,
  isWholeBuckets,
  PAGE_PARAMETERS,
  type PageSql,
  pageValues,
} from '@cxp/change-feed';
import { nullable, numberColumn, Statement, type StatementMode, textColumn } from '@cxp/storage';
import type { ConversationSessionRow } from '../derivation';
import type { Instant } from '../instant';
import { BEFORE_EVERY_ROW, type RowPosition } from './row-cursor';
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

/** `OFFSET 0` forces a lookup of the primary key for each. */
const ROWS_OF_PAGE = `page CROSS JOIN LATERAL (
    SELECT * FROM ${table} WHERE organization_id = $organizationId
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
function pageStatement({ page, total }: PageSql, filters: readonly FilterName[], mode: StatementMode) {
  return new Statement(
    { ...typesOf(filters), ...PAGE_PARAMETERS },
    FOUND,
    (list) => `${page}
     SELECT ${list} FROM (
       SELECT ${total} AS total, (
         SELECT version FROM contact_center.human_schedule WHERE organization_id = $organizationId
       ) AS schedule_version
     ) AS state LEFT JOIN (SELECT row.* FROM ${ROWS_OF_PAGE}) AS row ON TRUE
     ORDER BY ${ORDER}`,
    mode,
  );
}

const PAGE_OF_BUCKETS = pageStatement(bucketPage(SESSIONS), [], 'prepared');

const AFTER = {
  organizationId: 'text',
  endsAt: 'timestamptz',
  updatedAt: 'timestamptz',
  conversationId: 'text',
  sessionIndex: 'integer',
  ticketId: 'bigint',
  limit: 'integer',
  bytes: 'bigint',
} as const;

function rowsAfter(filters: readonly FilterName[]) {
  return new Statement(
    { ...typesOf(filters), ...AFTER },
    { ...STORED_ROW, found: numberColumn('row.found') },
    (list) => `WITH page AS MATERIALIZED (
       SELECT ${SESSIONS.order.join(', ')} FROM ${table}
       WHERE organization_id = $organizationId AND conversation_updated_at < $endsAt
         AND (${SESSIONS.order.join(', ')}) > ($updatedAt, $conversationId, $sessionIndex, $ticketId) ${conditionsOf(filters)}
       ORDER BY ${SESSIONS.order.join(', ')} LIMIT $limit
     )
     SELECT ${list} FROM (
       SELECT row.*, count(*) OVER () AS found, sum(row.bytes) OVER (ORDER BY ${ORDER}) - row.bytes AS bytes_before
       FROM ${ROWS_OF_PAGE}
     ) AS row WHERE row.bytes_before < $bytes ORDER BY ${ORDER}`,
  );
}

/** The rows after a key; if there are none, one row of nulls. Of an unknown conversation nothing comes. */
const ROWS_OF_CONVERSATION = new Statement(
  {
    organizationId: 'text',
    conversationId: 'text',
    sessionIndex: 'integer',
    ticketId: 'bigint',
    limit: 'integer',
    bytes: 'bigint',
  },
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
       WHERE organization_id = $organizationId AND conversation_id = $conversationId
     ) AS state
     LEFT JOIN LATERAL (
       SELECT *, sum(bytes) OVER in_order - bytes AS bytes_before, count(*) OVER () AS left FROM (
         SELECT * FROM ${table}
         WHERE organization_id = $organizationId AND conversation_id = $conversationId AND (session_index, ticket_id) > ($sessionIndex, $ticketId)
         ORDER BY session_index, ticket_id LIMIT $limit
       ) AS row WINDOW in_order AS (ORDER BY session_index, ticket_id)
     ) AS row ON row.bytes_before < $bytes
     WHERE record.organization_id = $organizationId AND record.type = 'conversation' AND record.id = $conversationId AND record.data IS NOT NULL
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
    const filters = filtersIn(filter);
    const isCounted = filters.length > 0 || !isWholeBuckets(filter.startsAt, filter.endsAt);
    // A prepared plan does not know the filter's values and compares each row with each of them.
    const statement = isCounted
      ? pageStatement(countedPage(SESSIONS, conditionsOf(filters)), filters, 'planned')
      : PAGE_OF_BUCKETS;
    const found = await statement.run(this.manager, {
      ...filter,
      ...pageValues(organizationId, SESSION_LIST, filter, range),
    });
    const { total, scheduleVersion } = found[0]!;
    return { total, scheduleVersion, rows: found.filter(hasDocument) };
  }

  /** Stops after `limit` rows or after the row that passes `bytes`; after `limit` rows `hasMore` may be true at the end. */
  async after(
    organizationId: string,
    filter: SessionFilter,
    position: RowPosition,
    { limit, bytes = Number.MAX_SAFE_INTEGER }: { readonly limit: number; readonly bytes?: number },
  ): Promise<{ readonly rows: StoredRow[]; readonly hasMore: boolean }> {
    const filters = filtersIn(filter);
    // The position may be of an earlier window: the first row of this one is next.
    const isBefore = Date.parse(position.updatedAt) < filter.startsAt;
    const place = isBefore ? { ...BEFORE_EVERY_ROW, updatedAt: new Date(filter.startsAt) } : position;
    const rows = await rowsAfter(filters).run(this.manager, {
      ...filter,
      organizationId,
      endsAt: new Date(filter.endsAt),
      ...place,
      limit,
      bytes,
    });
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
    const key = { organizationId, conversationId, sessionIndex, ticketId };
    const found = await ROWS_OF_CONVERSATION.run(this.manager, { ...key, limit: limit + 1, bytes });
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

function conditionsOf(filters: readonly FilterName[]): string {
  return filters.map((name) => `AND ${FILTERS[name].column} = ANY ($${name})`).join(' ');
}

function typesOf(filters: readonly FilterName[]) {
  return Object.fromEntries(filters.map((name) => [name, `${FILTERS[name].type}[]`] as const));
}

export function filtersIn(filter: FilterValues): FilterName[] {
  return (Object.keys(FILTERS) as FilterName[]).filter((name) => filter[name] !== undefined);
}
