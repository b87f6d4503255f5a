import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { ChangeRepository, type RemovalReason } from '@cxp/change-feed';
import {
  BucketChanges,
  bucketPage,
  countedPage,
  isWholeBuckets,
  type PageSql,
  pageValues,
} from '@cxp/pagination';
import {
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  type StatementMode,
  textColumn,
  textsColumn,
  withPauses,
  yieldToEventLoop,
} from '@cxp/storage';
import { jsonArrays, utcTimeSql } from '../database';
import type { ConversationSessionRow } from '../derivation';
import { conditionsOf, FILTER_COLUMNS, type FilterColumns, hasFilters, type SessionFilter } from './filters';
import type { RowPosition } from './row-cursor';
import {
  ANCHOR_FIELDS,
  rowKeyText,
  ORDER,
  SESSION_LIST,
  SESSIONS,
  STORED_ROW,
  type StoredKey,
  type StoredRow,
} from './stored-row';

export interface SessionPage {
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

export interface ProjectedRow {
  readonly key: StoredKey;
  /** `updatedAt` of the conversation, in the form of `utcTime`. */
  readonly updatedAt: string;
  readonly anchorMicroseconds: readonly number[] | null;
  readonly filtered: FilterColumns;
  readonly digest: bigint;
  readonly session: ConversationSessionRow;
}

const { schema, table } = SESSIONS;

const BEFORE_ITS_ROWS = { sessionIndex: -1, ticketId: '0' };

const KEY = 'conversation_id, session_index, ticket_id';

const ROWS_OF_PAGE = `page CROSS JOIN LATERAL (
    SELECT * FROM ${table} WHERE organization_id = $1
      AND (${KEY}) = (page.conversation_id, page.session_index, page.ticket_id) OFFSET 0
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

/** `OFFSET 0` forces a primary key look-up per id: for many ids, PostgreSQL 18 would read all rows of the organization. */
const ROWS_OF_CONVERSATIONS = `
  FROM unnest($2::text[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT * FROM ${table} WHERE organization_id = $1 AND conversation_id = wanted.id OFFSET 0
  ) AS row`;

const STATE = {
  conversationId: textColumn('row.conversation_id'),
  sessionIndex: numberColumn('row.session_index'),
  ticketId: textColumn('row.ticket_id'),
  filtered: textsColumn(`ARRAY[${FILTER_COLUMNS.map((column) => `row.${column}::text`).join(', ')}]`),
  updatedAt: textColumn(utcTimeSql('row.conversation_updated_at')),
  anchorMicroseconds: STORED_ROW.anchorMicroseconds,
  digest: textColumn('row.digest'),
  change: numberColumn('row.change::float8'),
};

const STATES = new Statement(STATE, (list) => `SELECT ${list} ${ROWS_OF_CONVERSATIONS}`);

/** Keys are looked up one by one and deleted by `ctid`, for the reason at `removing` of records. */
const DELETE_ROWS = new Statement(
  {},
  `DELETE FROM ${table} AS row USING (
     SELECT known.ctid FROM unnest($2::text[], $3::integer[], $4::bigint[]) AS removed (conversation_id, session_index, ticket_id)
     CROSS JOIN LATERAL (
       SELECT ctid FROM ${table} WHERE organization_id = $1
         AND (${KEY}) = (removed.conversation_id, removed.session_index, removed.ticket_id) OFFSET 0
     ) AS known
   ) AS found
   WHERE row.organization_id = $1::text COLLATE "POSIX" AND row.ctid = found.ctid`,
);

const WRITTEN = [
  ...SESSIONS.order,
  ...FILTER_COLUMNS,
  'document',
  'anchor_microseconds',
  'change',
  'digest',
].join(', ');

const INSERT_ROWS = new Statement(
  {},
  `INSERT INTO ${table} (organization_id, ${WRITTEN})
   SELECT $1, ${WRITTEN} FROM json_populate_recordset(NULL::${table}, $2)`,
);

function rowJson(row: WrittenRow): string {
  const { key, updatedAt, filtered, digest, change, session, anchorMicroseconds } = row;
  return JSON.stringify({
    conversation_updated_at: updatedAt,
    conversation_id: key.conversationId,
    session_index: key.sessionIndex,
    ticket_id: key.ticketId,
    ...filtered,
    document: session,
    anchor_microseconds: anchorMicroseconds,
    change,
    digest: String(digest),
  });
}

@Injectable()
export class ConversationSessionRepository {
  private readonly changes: ChangeRepository;

  constructor(private readonly manager: EntityManager) {
    this.changes = new ChangeRepository(manager, schema);
  }

  async page(
    organizationId: string,
    filter: SessionFilter,
    range: { readonly offset: number; readonly limit: number },
  ): Promise<SessionPage> {
    const { text, values } = conditionsOf(filter, 7);
    const isCounted = hasFilters(filter) || !isWholeBuckets(filter.startsAt, filter.endsAt);
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

  /**
   * Replaces rows and numbers the changes; equal rows are not written. The caller holds the organization's lock.
   * @param reasonsOf why rows are removed
   * @returns the number of changed conversations
   */
  async replace(
    organizationId: string,
    conversationIds: readonly string[],
    rows: readonly ProjectedRow[],
    reasonsOf: (removed: readonly StoredKey[]) => Promise<(key: StoredKey) => RemovalReason>,
  ): Promise<number> {
    const stored = await this.states(organizationId, conversationIds);
    const { written, replaced, removed } = await compare(stored, rows);
    if (written.length + removed.length === 0) return 0;

    const changed = written.filter(({ isChanged }) => isChanged);
    const numbers = removed.length + changed.length;
    // Changes that no answer shows take no numbers, so that they wake no reader of the feed.
    const first = numbers > 0 ? await this.changes.take(organizationId, numbers) : 0;
    await this.remove(organizationId, [...replaced, ...removed]);
    const reasonOf = await reasonsOf(removed.map(({ key }) => key));
    await this.changes.addRemovals(
      organizationId,
      removed.map(({ key }) => ({ key: rowKeyText(key), reason: reasonOf(key) })),
      first,
    );
    await this.changes.deleteRemovals(
      organizationId,
      written.filter(({ isNew }) => isNew).map(({ key }) => rowKeyText(key)),
    );
    changed.forEach((row, place) => (row.change = first + removed.length + place));
    await this.insert(organizationId, written);
    const buckets = new BucketChanges();
    for (const { updatedAt, digest } of replaced.concat(removed))
      buckets.note(SESSION_LIST, Date.parse(updatedAt), digest, -1);
    for (const { updatedAt, digest } of written) buckets.note(SESSION_LIST, Date.parse(updatedAt), digest, 1);
    await buckets.store(this.manager, schema, organizationId);
    return new Set([...changed, ...removed].map(({ key }) => key.conversationId)).size;
  }

  private async states(
    organizationId: string,
    conversationIds: readonly string[],
  ): Promise<Map<string, StoredState>> {
    const states = await STATES.run(this.manager, [organizationId, conversationIds]);
    const byKey = new Map<string, StoredState>();
    for await (const { conversationId, sessionIndex, ticketId, digest, ...state } of withPauses(states)) {
      const key = { conversationId, sessionIndex, ticketId };
      byKey.set(rowKeyText(key), { ...state, key, digest: BigInt(digest) });
    }
    return byKey;
  }

  private async remove(organizationId: string, rows: readonly { readonly key: StoredKey }[]): Promise<void> {
    if (rows.length === 0) return;
    await DELETE_ROWS.run(this.manager, [
      organizationId,
      rows.map(({ key }) => key.conversationId),
      rows.map(({ key }) => key.sessionIndex),
      rows.map(({ key }) => key.ticketId),
    ]);
  }

  private async insert(organizationId: string, written: readonly WrittenRow[]): Promise<void> {
    const json = (function* () {
      for (const row of written) yield rowJson(row);
    })();
    for (const some of jsonArrays(json)) {
      await INSERT_ROWS.run(this.manager, [organizationId, some]);
      await yieldToEventLoop();
    }
  }
}

interface StoredState extends Omit<RowOf<typeof STATE>, keyof StoredKey | 'digest'> {
  readonly key: StoredKey;
  readonly digest: bigint;
}

interface WrittenRow extends ProjectedRow {
  /** A key without a row may have a removal, which has to go. */
  readonly isNew: boolean;
  /** False if only what no answer shows differs: a ticket's assignee, or microseconds. */
  readonly isChanged: boolean;
  change: number;
}

async function compare(
  stored: ReadonlyMap<string, StoredState>,
  rows: readonly ProjectedRow[],
): Promise<{ written: WrittenRow[]; replaced: StoredState[]; removed: StoredState[] }> {
  const [written, replaced]: [WrittenRow[], StoredState[]] = [[], []];
  const removed = new Map(stored);
  for await (const row of withPauses(rows)) {
    const text = rowKeyText(row.key);
    const previous = stored.get(text);
    removed.delete(text);
    const isChanged = previous?.digest !== row.digest || shortensBusinessHours(previous, row);
    if (previous && !isChanged && hasSameUnshown(previous, row)) continue;
    if (previous) replaced.push(previous);
    written.push({ ...row, isNew: !previous, isChanged, change: previous?.change ?? 0 });
  }
  return { written, replaced, removed: [...removed.values()] };
}

/**
 * The digest does not cover microseconds, but they change business hours: time that begins a microsecond later is a second
 * less.
 */
function shortensBusinessHours(stored: StoredState, { session, anchorMicroseconds }: ProjectedRow): boolean {
  return BEGINNINGS.some((field) => {
    const place = ANCHOR_FIELDS.indexOf(field);
    const isWhole = (microseconds: readonly number[] | null) => !microseconds?.[place];
    return (
      session[field]?.endsWith('.000Z') && isWhole(stored.anchorMicroseconds) !== isWhole(anchorMicroseconds)
    );
  });
}

const BEGINNINGS = ['botHandoffAt', 'firstAgentAssignedAt'] as const;

/** Compares what no answer shows: values of filters, and microseconds. */
function hasSameUnshown(stored: StoredState, row: ProjectedRow): boolean {
  return (
    stored.updatedAt === row.updatedAt &&
    String(stored.anchorMicroseconds) === String(row.anchorMicroseconds) &&
    FILTER_COLUMNS.every(
      (column, place) => (stored.filtered[place] ?? null) === (row.filtered[column]?.toString() ?? null),
    )
  );
}

function hasDocument<Row extends { readonly document: unknown }>(
  row: Row,
): row is Row & { readonly document: ConversationSessionRow } {
  return row.document !== null;
}
