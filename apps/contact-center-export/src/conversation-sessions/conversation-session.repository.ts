import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { BucketChanges, ChangeRepository, type RemovalReason } from '@cxp/change-feed';
import {
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  textsColumn,
  withPauses,
  yieldToEventLoop,
  utcTimeSql,
} from '@cxp/storage';
import { jsonArrays } from '../database';
import { type ConversationSessionRow, SPANS } from '../derivation';
import {
  ANCHOR_FIELDS,
  FILTER_COLUMNS,
  type FilterColumns,
  ROW_KEY,
  rowKeyText,
  SESSION_LIST,
  SESSIONS,
  STORED_ROW,
  type StoredKey,
} from './stored-row';

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

/** `OFFSET 0` forces a primary key look-up per id: for many ids, PostgreSQL 18 would read all rows of the organization. */
const ROWS_OF_CONVERSATIONS = `
  FROM unnest($conversationIds) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT * FROM ${table} WHERE organization_id = $organizationId AND conversation_id = wanted.id OFFSET 0
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

const STATES = new Statement(
  { organizationId: 'text', conversationIds: 'text[]' },
  STATE,
  (list) => `SELECT ${list} ${ROWS_OF_CONVERSATIONS}`,
);

const DELETE_ROWS = new Statement(
  { organizationId: 'text', conversationIds: 'text[]', sessionIndexes: 'integer[]', ticketIds: 'bigint[]' },
  {},
  `DELETE FROM ${table} WHERE organization_id = $organizationId AND ctid = ANY (ARRAY(
     SELECT known.ctid FROM unnest($conversationIds, $sessionIndexes, $ticketIds) AS removed (conversation_id, session_index, ticket_id)
     CROSS JOIN LATERAL (
       SELECT ctid FROM ${table} WHERE organization_id = $organizationId
         AND (${ROW_KEY}) = (removed.conversation_id, removed.session_index, removed.ticket_id) OFFSET 0
     ) AS known
   ))`,
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
  { organizationId: 'text', rows: 'json' },
  {},
  `INSERT INTO ${table} (organization_id, ${WRITTEN})
   SELECT $organizationId, ${WRITTEN} FROM json_populate_recordset(NULL::${table}, $rows)`,
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
    const first = numbers > 0 ? await this.changes.takeNumbers(organizationId, numbers) : 0;
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
    const states = await STATES.run(this.manager, { organizationId, conversationIds });
    const byKey = new Map<string, StoredState>();
    for await (const { conversationId, sessionIndex, ticketId, digest, ...state } of withPauses(states)) {
      const key = { conversationId, sessionIndex, ticketId };
      byKey.set(rowKeyText(key), { ...state, key, digest: BigInt(digest) });
    }
    return byKey;
  }

  private async remove(organizationId: string, rows: readonly { readonly key: StoredKey }[]): Promise<void> {
    if (rows.length === 0) return;
    await DELETE_ROWS.run(this.manager, {
      organizationId,
      conversationIds: rows.map(({ key }) => key.conversationId),
      sessionIndexes: rows.map(({ key }) => key.sessionIndex),
      ticketIds: rows.map(({ key }) => key.ticketId),
    });
  }

  private async insert(organizationId: string, written: readonly WrittenRow[]): Promise<void> {
    for (const some of jsonArrays(written, rowJson)) {
      await INSERT_ROWS.run(this.manager, { organizationId, rows: some });
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

const BEGINNINGS = Object.values(SPANS).map(({ from }) => from);

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
