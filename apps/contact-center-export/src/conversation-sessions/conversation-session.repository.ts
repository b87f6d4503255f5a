import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { ChangeRepository, type FirstNumbers, type RemovalReason } from '@cxp/change-feed';
import {
  DependencyUnavailableError,
  MAX_PIECE_BYTES,
  nullable,
  numberColumn,
  precedingBytes,
  readOn,
  type RowOf,
  Statement,
  type StatementMode,
  textColumn,
} from '@cxp/storage';
import type { Instant } from '../business-hours';
import { contactCenterDatabase } from '../database';
import { copyRows } from '../database/copy-rows';
import { milliseconds } from '../database/sql';
import type { ConversationSessionRow } from '../derivation';
import { inTurns } from '../in-turns';
import {
  type Group,
  type SessionCountChanges,
  SessionCountRepository,
  type SessionFilter,
} from '../session-counts';
import type { RowPosition } from './row-cursor';
import { keyText, NO_TICKET, type StoredKey } from './session-key';
import { COPIED_ROW, hasDocument, ORDER, SESSION_TABLE, STORED_ROW, type StoredRow } from './stored-row';

/** A row that is ready to be stored. */
export interface ProjectedRow {
  readonly key: StoredKey;
  /** Of the conversation. */
  readonly updatedAt: Instant;
  readonly group: Group;
  readonly digest: bigint;
  readonly session: ConversationSessionRow;
}

const STORED_COLUMNS = [
  'organization_id',
  'conversation_updated_at',
  'conversation_id',
  'session_index',
  'ticket_id',
  'group_id',
  'session_end_reason',
  'bot_handoff_at',
  'first_agent_assigned_at',
  'first_agent_message_at',
  'conversation_resolved_at',
  'document',
  'change',
  'digest',
];

/** $1 organization, $2 end of the window in milliseconds, $3 to $6 position, $7 limit, $8 end reasons or null, $9 bytes. */
const ROWS_AFTER = rowsAfter('', 'copied in index order');

/** The same if there are end reasons. From them PostgreSQL estimates how rare their rows are, and chooses the index. */
const ROWS_OF_END_REASONS_AFTER = rowsAfter('', 'copied');

/** The same of some groups, $10. */
const ROWS_OF_GROUPS_AFTER = rowsAfter('AND row.group_id = ANY ($10::integer[])', 'copied');

function rowsAfter(condition: string, mode: StatementMode): Statement<typeof COPIED_ROW> {
  return new Statement(
    COPIED_ROW,
    (list) => `SELECT ${list} FROM (
       SELECT row.*, ${precedingBytes('row.bytes', ORDER)} AS preceding_bytes
       FROM (
         SELECT row.* FROM ${SESSION_TABLE} AS row
         WHERE row.organization_id = $1 AND row.conversation_updated_at < ${instant('$2')}
           AND (${ORDER}) > (${instant('$3')}, $4, $5, $6)
           AND ($8::text[] IS NULL OR row.session_end_reason = ANY ($8::text[])) ${condition}
         ORDER BY ${ORDER} LIMIT $7
       ) AS row
     ) AS row
     WHERE preceding_bytes < $9
     ORDER BY ${ORDER}`,
    mode,
  );
}

/** A row of a conversation, and the last change of the organization when it was read. */
const ROW_OF_CONVERSATION = {
  ...STORED_ROW,
  document: nullable(STORED_ROW.document),
  change: numberColumn('row.change'),
  last: numberColumn('coalesce((SELECT last FROM contact_center.change_feed WHERE organization_id = $1), 0)'),
};

/** Rows of a conversation that are read at first. */
const CONVERSATION_ROWS = 200;

/** $1 organization, $2 conversation, $3 and $4 position, $5 limit. A conversation without rows comes as one row of nulls. */
const ROWS_OF_CONVERSATION = new Statement(
  ROW_OF_CONVERSATION,
  (list) => `SELECT ${list} FROM (
     SELECT row.*, ${precedingBytes('row.bytes', ORDER)} AS preceding_bytes
     FROM contact_center.conversation LEFT JOIN LATERAL (
       SELECT * FROM ${SESSION_TABLE}
       WHERE organization_id = $1 AND conversation_id = $2 AND (session_index, ticket_id) > ($3::integer, $4::bigint)
       ORDER BY session_index, ticket_id
       LIMIT $5
     ) AS row ON TRUE
     WHERE conversation.organization_id = $1 AND conversation.id = $2
   ) AS row
   WHERE preceding_bytes < ${MAX_PIECE_BYTES}
   ORDER BY ${ORDER}`,
  'prepared',
);

/**
 * SQL: the rows of conversations. $1 organization, $2 conversation ids. `OFFSET 0`: a lookup of the primary key for each id. To find many
 * ids at once, PostgreSQL 18 would read all rows of the organization in the order of the export.
 */
const ROWS_OF_CONVERSATIONS = `
  FROM unnest($2::text[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT * FROM ${SESSION_TABLE} WHERE organization_id = $1 AND conversation_id = wanted.id OFFSET 0
  ) AS row`;

/** The columns of a stored row that it is compared and counted by. */
const STATE = {
  conversationId: textColumn('row.conversation_id'),
  sessionIndex: numberColumn('row.session_index'),
  ticketId: textColumn('row.ticket_id'),
  groupId: numberColumn('row.group_id'),
  endReason: textColumn<ConversationSessionRow['sessionEndReason']>('row.session_end_reason'),
  updatedAt: numberColumn(milliseconds('row.conversation_updated_at')),
  digest: textColumn('row.digest'),
  change: numberColumn('row.change::float8'),
};

const STATES = new Statement(STATE, (list) => `SELECT ${list} ${ROWS_OF_CONVERSATIONS}`);

const COUNT_ROWS = new Statement(
  { rows: numberColumn('count(*)') },
  (list) => `SELECT ${list} ${ROWS_OF_CONVERSATIONS}`,
);

/** $1 organization, $2 to $4 keys. */
const DELETE_ROWS = new Statement(
  {},
  `DELETE FROM ${SESSION_TABLE} AS row
   USING unnest($2::text[], $3::integer[], $4::bigint[]) AS removed (conversation_id, session_index, ticket_id)
   WHERE row.organization_id = $1
     AND row.conversation_id = removed.conversation_id
     AND row.session_index = removed.session_index
     AND row.ticket_id = removed.ticket_id`,
);

/** SQL: the instant of milliseconds since 1970, also of those that are no sum of seconds as a floating-point number has them. */
function instant(milliseconds: string): string {
  return `(to_timestamp(${milliseconds}::bigint / 1000) + ${milliseconds}::bigint % 1000 * interval '1 millisecond')`;
}

/** The rows of the export, with the groups and counts by which they are found. */
@Injectable()
export class ConversationSessionRepository {
  private readonly counts: SessionCountRepository;
  private readonly changes: ChangeRepository;

  constructor(private readonly manager: EntityManager) {
    this.counts = new SessionCountRepository(manager);
    this.changes = new ChangeRepository(manager, contactCenterDatabase.schema);
  }

  /**
   * At most `limit` rows of a filter that are after a position in the order.
   * @param maxBytes the read ends after the row whose document reaches this
   */
  async after(
    organizationId: string,
    filter: SessionFilter,
    position: RowPosition,
    limit: number,
    maxBytes = MAX_PIECE_BYTES,
  ): Promise<StoredRow<Buffer>[]> {
    const groupIds = await this.counts.groupsMatching(organizationId, filter);
    // The position before every row of the window has no key.
    const isBefore = position.updatedAt < filter.startsAt;
    const place = isBefore ? [filter.startsAt, '', 0, '0'] : [position.updatedAt, ...keyOf(position)];
    const values = [organizationId, filter.endsAt, ...place, limit, filter.sessionEndReasons, maxBytes];
    if (groupIds) return ROWS_OF_GROUPS_AFTER.run(this.manager, [...values, groupIds]);
    return (filter.sessionEndReasons ? ROWS_OF_END_REASONS_AFTER : ROWS_AFTER).run(this.manager, values);
  }

  /**
   * The rows of a conversation, as many at a time as one read returns.
   * @returns undefined if the organization has no such conversation
   * @throws DependencyUnavailableError, from a later read, if the conversation has changed since its first rows were read: fields that are
   *   the same in all of its rows would differ
   */
  async ofConversation(
    organizationId: string,
    conversationId: string,
  ): Promise<AsyncIterable<readonly StoredRow[]> | undefined> {
    const read = (position: readonly unknown[], limit: number) =>
      ROWS_OF_CONVERSATION.run(this.manager, [organizationId, conversationId, ...position, limit]);
    const found = await read([-1, NO_TICKET], CONVERSATION_ROWS);
    if (found.length === 0) return undefined;
    const { last } = found[0]!;
    const first = found.filter(hasDocument);
    const isComplete = first.length < CONVERSATION_ROWS && bytesOf(first) < MAX_PIECE_BYTES;
    return readOn(first, isComplete ? first.length : Infinity, async ({ sessionIndex, ticketId }, limit) => {
      const more = await read([sessionIndex, ticketId], limit);
      const rows = more.filter(hasDocument);
      if (more.length === 0 || rows.some(({ change }) => change > last)) {
        throw new DependencyUnavailableError('The conversation has changed while it was read');
      }
      return rows;
    });
  }

  /**
   * Makes the rows of the conversations equal to the given ones, and numbers the changes; under the organization's intake lock. Rows
   * that are the same already are not touched.
   * @param maxRemovals how many rows the transaction removes at most; undefined: it replaces no other rows than these
   * @param counts notes what changes of them; they have to be added to the stored ones before the transaction ends
   * @param reasonsOf why rows are removed
   * @returns how many conversations have other rows than before
   */
  async replace(
    organizationId: string,
    conversationIds: readonly string[],
    rows: readonly ProjectedRow[],
    maxRemovals: number | undefined,
    counts: SessionCountChanges,
    reasonsOf: (removed: readonly StoredKey[]) => Promise<(key: StoredKey) => RemovalReason>,
  ): Promise<number> {
    const stored = await this.states(organizationId, conversationIds);
    const groupIdOf = await this.counts.groupIds(
      organizationId,
      rows.map(({ group }) => group),
    );
    const { written, replaced, removed } = await compare(stored, rows, groupIdOf);
    if (written.length + removed.length === 0) return 0;

    const changed = written.filter(({ isChanged }) => isChanged);
    const first = await this.takeNumbers(organizationId, removed.length, changed.length, maxRemovals);
    await this.remove(organizationId, [...replaced, ...removed]);
    const reasonOf = await reasonsOf(removed.map(({ key }) => key));
    await this.changes.addRemovals(
      organizationId,
      removed.map(({ key }) => ({ key: keyText(key), reason: reasonOf(key) })),
      first.removal,
    );
    await this.changes.deleteRemovals(
      organizationId,
      written.filter(({ isNew }) => isNew).map(({ key }) => keyText(key)),
    );
    changed.forEach((row, place) => (row.change = first.upsert + place));
    await this.insert(organizationId, written);
    for await (const row of inTurns([...replaced, ...removed])) counts.note(row, -1, null);
    for await (const row of inTurns(written)) counts.note(row, 1, row.isChanged ? row.change : null);
    return new Set([...changed, ...removed].map(({ key }) => key.conversationId)).size;
  }

  async addToCounts(organizationId: string, changes: SessionCountChanges): Promise<void> {
    await this.counts.add(organizationId, changes);
  }

  /** How many rows the conversations have. */
  async countRows(organizationId: string, conversationIds: readonly string[]): Promise<number> {
    const counted = await COUNT_ROWS.first(this.manager, [organizationId, conversationIds]);
    return counted!.rows;
  }

  /** A transaction that changes nothing takes no numbers: waiting readers of the feed are not woken. */
  private takeNumbers(
    organizationId: string,
    removals: number,
    upserts: number,
    maxRemovals?: number,
  ): Promise<FirstNumbers> {
    // Otherwise only the groups differ.
    if (removals + upserts === 0) return Promise.resolve({ removal: 0, upsert: 0 });
    return this.changes.take(organizationId, { removals, upserts }, maxRemovals);
  }

  private async states(
    organizationId: string,
    conversationIds: readonly string[],
  ): Promise<Map<string, StoredState>> {
    const states = await STATES.run(this.manager, [organizationId, conversationIds]);
    const byKey = new Map<string, StoredState>();
    for await (const { conversationId, sessionIndex, ticketId, digest, ...state } of inTurns(states)) {
      const key = { conversationId, sessionIndex, ticketId };
      byKey.set(keyText(key), { ...state, key, digest: BigInt(digest) });
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
    await copyRows(
      this.manager,
      SESSION_TABLE,
      STORED_COLUMNS,
      written,
      ({ key, groupId, updatedAt, digest, change, session }) => [
        organizationId,
        new Date(updatedAt).toISOString(),
        key.conversationId,
        key.sessionIndex,
        key.ticketId,
        groupId,
        session.sessionEndReason,
        session.botHandoffAt,
        session.firstAgentAssignedAt,
        session.firstAgentMessageAt,
        session.conversationResolvedAt,
        JSON.stringify(session),
        change,
        String(digest),
      ],
    );
  }
}

/** A stored row, without its fields. */
interface StoredState extends Omit<RowOf<typeof STATE>, keyof StoredKey | 'digest'> {
  readonly key: StoredKey;
  readonly digest: bigint;
}

/** A row that is to be written. */
interface WrittenRow extends ProjectedRow, StoredState {
  readonly digest: bigint;
  /** Whether its key had no row, and so may have a removal. */
  readonly isNew: boolean;
  /** Whether it is a change of the feed. Otherwise only its group is another: a ticket's assignee stands in no row. */
  readonly isChanged: boolean;
  change: number;
}

/** What has to be written and removed, so that the stored rows become the projected ones. */
async function compare(
  stored: ReadonlyMap<string, StoredState>,
  rows: readonly ProjectedRow[],
  groupIdOf: (group: Group) => number,
): Promise<{ written: WrittenRow[]; replaced: StoredState[]; removed: StoredState[] }> {
  const [written, replaced]: [WrittenRow[], StoredState[]] = [[], []];
  const removed = new Map(stored);
  for await (const row of inTurns(rows)) {
    const text = keyText(row.key);
    const groupId = groupIdOf(row.group);
    const previous = stored.get(text);
    removed.delete(text);
    const isChanged = previous?.digest !== row.digest;
    if (!isChanged && previous.groupId === groupId) continue;
    if (previous) replaced.push(previous);
    const { sessionEndReason: endReason } = row.session;
    written.push({
      ...row,
      groupId,
      endReason,
      isNew: !previous,
      isChanged,
      change: previous?.change ?? 0,
    });
  }
  return { written, replaced, removed: [...removed.values()] };
}

/** How large the documents of the rows are. */
export function bytesOf(rows: readonly StoredRow[]): number {
  return rows.reduce((bytes, { document }) => bytes + Buffer.byteLength(document), 0);
}

function keyOf({ conversationId, sessionIndex, ticketId }: RowPosition): [string, number, string] {
  return [conversationId, sessionIndex, ticketId];
}
