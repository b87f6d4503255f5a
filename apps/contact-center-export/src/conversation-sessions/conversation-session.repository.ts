import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { ChangeRepository, type FirstNumbers } from '@cxp/change-feed';
import {
  bytesColumn,
  type CopiedRow,
  CopyStatement,
  DependencyUnavailableError,
  MAX_PIECE_BYTES,
  numberColumn,
  precedingBytes,
  PreparedStatement,
  selectList,
  textColumn,
} from '@cxp/storage';
import type { Instant } from '../business-hours';
import { contactCenterDatabase } from '../database';
import { copyRows } from '../database/copy-rows';
import { milliseconds } from '../database/sql';
import type { ConversationSessionRow } from '../derivation';
import { inTurns } from '../in-turns';
import type { RowPosition } from './row-cursor';
import type { StoredRow } from './row-presenter';
import { type SessionAgent, SessionAgentRepository } from './session-agent.repository';
import { type EndReason, type SessionCountChanges, SessionCountRepository } from './session-count.repository';
import type { SessionFilter } from './session-filter';
import { keyText, NO_TICKET, sessionDigest, type StoredKey, toStoredKey } from './session-key';

/** A row that is ready to be stored, with its order and the agent that it is filtered by. */
export interface ProjectedRow {
  readonly conversationUpdatedAt: number;
  readonly agent: SessionAgent;
  readonly session: ConversationSessionRow;
}

/** The same, with what it is compared with the stored one by. */
export interface DigestedRow extends ProjectedRow {
  readonly key: StoredKey;
  /** `conversationUpdatedAt` in ISO 8601. */
  readonly updatedAt: string;
  readonly digest: bigint;
}

export function digestRow(row: ProjectedRow): DigestedRow {
  const updatedAt = new Date(row.conversationUpdatedAt).toISOString();
  return {
    ...row,
    key: toStoredKey(row.session),
    updatedAt,
    digest: sessionDigest(updatedAt, row.session),
  };
}

/** A row and its position in the order of the export. */
export type PlacedRow = CopiedRow<typeof PLACED_ROW>;

/** The same, read to be written as text, of one conversation. */
export interface ConversationRow extends StoredRow, RowPosition {
  readonly document: string;
  readonly change: number;
  /** The last change of the organization when the first row was read. */
  readonly last: number;
}

export const SESSION_TABLE = 'contact_center.conversation_session';

const STORED_COLUMNS = [
  'organization_id',
  'conversation_updated_at',
  'conversation_id',
  'session_index',
  'ticket_id',
  'agent_id',
  'session_end_reason',
  'bot_handoff_at',
  'first_agent_assigned_at',
  'first_agent_message_at',
  'conversation_resolved_at',
  'document',
  'change',
  'digest',
];

/** The columns of a `PlacedRow`. */
export const PLACED_ROW = {
  document: bytesColumn('row.document::text'),
  botHandoffAt: numberColumn<Instant | null>(milliseconds('row.bot_handoff_at')),
  firstAgentAssignedAt: numberColumn<Instant | null>(milliseconds('row.first_agent_assigned_at')),
  firstAgentMessageAt: numberColumn<Instant | null>(milliseconds('row.first_agent_message_at')),
  conversationResolvedAt: numberColumn<Instant | null>(milliseconds('row.conversation_resolved_at')),
  updatedAt: numberColumn(milliseconds('row.conversation_updated_at')),
  conversationId: textColumn('row.conversation_id'),
  sessionIndex: numberColumn('row.session_index::float8'),
  ticketId: textColumn('row.ticket_id::text'),
};

const ORDER = 'row.conversation_updated_at, row.conversation_id, row.session_index, row.ticket_id';

/** $1 organization, $2 end of the window in milliseconds, $3 to $6 position, $7 limit, $8 end reasons or null, $9 bytes. */
const ROWS_AFTER = rowsAfter('', true);

/** The same of some agents, $10. From their ids PostgreSQL estimates how rare their rows are, and chooses the index. */
const ROWS_OF_AGENTS_AFTER = rowsAfter('AND row.agent_id = ANY ($10::integer[])', false);

function rowsAfter(condition: string, inIndexOrder: boolean): CopyStatement<PlacedRow> {
  return new CopyStatement(
    PLACED_ROW,
    `SELECT ${selectList(PLACED_ROW)}
     FROM (
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
    { inIndexOrder },
  );
}

/** $1 organization, $2 conversation, $3 and $4 position, $5 limit. A conversation without rows comes as one row of nulls. */
const ROWS_OF_CONVERSATION = new PreparedStatement<
  ConversationRow | { readonly document: null; readonly last: number }
>(
  'session_rows_of_conversation',
  `SELECT ${selectList(PLACED_ROW)}, row.change::float8 AS change,
     coalesce((SELECT last FROM contact_center.change_feed WHERE organization_id = $1), 0)::float8 AS last
   FROM (
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

/** SQL: the instant of milliseconds since 1970. */
function instant(milliseconds: string): string {
  return `to_timestamp(${milliseconds}::float8 / 1000)`;
}

/** The rows of the export, with the agents and counts by which they are found. */
@Injectable()
export class ConversationSessionRepository {
  private readonly agents: SessionAgentRepository;
  private readonly counts: SessionCountRepository;
  private readonly changes: ChangeRepository;

  constructor(private readonly manager: EntityManager) {
    this.agents = new SessionAgentRepository(manager);
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
  ): Promise<PlacedRow[]> {
    const agentIds = await this.agents.idsMatching(organizationId, filter);
    // The position before every row of the window has no key.
    const isBefore = position.updatedAt < filter.startsAt;
    const place = isBefore ? [filter.startsAt, '', 0, '0'] : [position.updatedAt, ...keyOf(position)];
    const values = [organizationId, filter.endsAt, ...place, limit, filter.endReasons, maxBytes];
    return agentIds
      ? ROWS_OF_AGENTS_AFTER.run(this.manager, [...values, agentIds])
      : ROWS_AFTER.run(this.manager, values);
  }

  /**
   * The first rows of a conversation, at most `limit`.
   * @returns undefined if the organization has no such conversation
   */
  ofConversation(
    organizationId: string,
    conversationId: string,
    limit: number,
  ): Promise<ConversationRow[] | undefined>;
  /**
   * The rows after one.
   * @throws DependencyUnavailableError if the conversation has changed since its first rows were read: fields that are the same in all
   *   of its rows would differ
   */
  ofConversation(
    organizationId: string,
    conversationId: string,
    limit: number,
    after: ConversationRow,
  ): Promise<ConversationRow[]>;
  async ofConversation(
    organizationId: string,
    conversationId: string,
    limit: number,
    after?: ConversationRow,
  ): Promise<ConversationRow[] | undefined> {
    const position = after ? [after.sessionIndex, after.ticketId] : [-1, NO_TICKET];
    const found = await ROWS_OF_CONVERSATION.run(this.manager, [
      organizationId,
      conversationId,
      ...position,
      limit,
    ]);
    const rows = found.filter((row): row is ConversationRow => row.document !== null);
    if (!after) return found.length > 0 ? rows : undefined;
    if (found.length === 0 || rows.some(({ change }) => change > after.last)) {
      throw new DependencyUnavailableError('The conversation has changed while it was read');
    }
    return rows.map((row) => ({ ...row, last: after.last }));
  }

  /**
   * Makes the rows of the conversations equal to the given ones, and numbers the changes; under the organization's intake lock. Rows
   * that are the same already are not touched.
   * @param maxRemovals how many rows the transaction removes at most; undefined: it replaces no other rows than these
   * @param counts notes what changes of them; they have to be added to the stored ones before the transaction ends
   * @returns how many conversations have other rows than before
   */
  async replace(
    organizationId: string,
    conversationIds: readonly string[],
    rows: readonly DigestedRow[],
    maxRemovals: number | undefined,
    counts: SessionCountChanges,
  ): Promise<number> {
    const stored = await this.states(organizationId, conversationIds);
    const idOf = await this.agents.idsOf(
      organizationId,
      rows.map(({ agent }) => agent),
    );
    const { written, replaced, removed } = await compare(stored, rows, idOf);
    if (written.length + removed.length === 0) return 0;

    const changed = written.filter(({ isChanged }) => isChanged);
    const first = await this.takeNumbers(organizationId, removed.length, changed.length, maxRemovals);
    await this.remove(organizationId, [...replaced, ...removed]);
    await this.changes.addRemovals(
      organizationId,
      removed.map(({ key }) => keyText(key)),
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
    const [found] = await this.manager.query<[{ count: number }]>(
      `SELECT count(*)::float8 AS count ${ROWS_OF_CONVERSATIONS}`,
      [organizationId, conversationIds],
    );
    return found.count;
  }

  /** A transaction that changes nothing takes no numbers, so that nobody who waits is woken. */
  private takeNumbers(
    organizationId: string,
    removals: number,
    upserts: number,
    maxRemovals?: number,
  ): Promise<FirstNumbers> {
    // Only an agent that no row shows can differ otherwise.
    if (removals + upserts === 0) return Promise.resolve({ removal: 0, upsert: 0 });
    return this.changes.take(organizationId, { removals, upserts }, maxRemovals);
  }

  private async states(
    organizationId: string,
    conversationIds: readonly string[],
  ): Promise<Map<string, StoredState>> {
    const states = await this.manager.query<StoredState[]>(
      `SELECT
         json_build_object(
           'conversationId', conversation_id, 'sessionIndex', session_index, 'ticketId', ticket_id::text
         ) AS key,
         agent_id AS "agentId", session_end_reason AS "endReason",
         ${milliseconds('conversation_updated_at')} AS "conversationUpdatedAt",
         digest, change::float8 AS change
       ${ROWS_OF_CONVERSATIONS}`,
      [organizationId, conversationIds],
    );
    const byKey = new Map<string, StoredState>();
    for await (const state of inTurns(states)) {
      byKey.set(keyText(state.key), { ...state, digest: BigInt(state.digest) });
    }
    return byKey;
  }

  private async remove(organizationId: string, rows: readonly { readonly key: StoredKey }[]): Promise<void> {
    if (rows.length === 0) return;
    await this.manager.query(
      `DELETE FROM ${SESSION_TABLE} AS row
       USING unnest($2::text[], $3::integer[], $4::bigint[]) AS removed (conversation_id, session_index, ticket_id)
       WHERE row.organization_id = $1
         AND row.conversation_id = removed.conversation_id
         AND row.session_index = removed.session_index
         AND row.ticket_id = removed.ticket_id`,
      [
        organizationId,
        rows.map(({ key }) => key.conversationId),
        rows.map(({ key }) => key.sessionIndex),
        rows.map(({ key }) => key.ticketId),
      ],
    );
  }

  private async insert(organizationId: string, written: readonly WrittenRow[]): Promise<void> {
    await copyRows(
      this.manager,
      SESSION_TABLE,
      STORED_COLUMNS,
      written,
      ({ key, agentId, updatedAt, digest, change, session }) => [
        organizationId,
        updatedAt,
        key.conversationId,
        key.sessionIndex,
        key.ticketId,
        agentId,
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
interface StoredState {
  readonly key: StoredKey;
  readonly agentId: number;
  readonly endReason: EndReason;
  readonly conversationUpdatedAt: number;
  readonly digest: bigint;
  readonly change: number;
}

/** A row that is to be written. */
interface WrittenRow extends Omit<StoredState, 'change'>, Omit<DigestedRow, 'agent'> {
  readonly digest: bigint;
  /** Whether its key had no row, and so may have a removal. */
  readonly isNew: boolean;
  /** Whether it is a change of the feed. Only an agent that the row does not show may differ otherwise. */
  readonly isChanged: boolean;
  change: number;
}

/** What has to be written and removed, so that the stored rows become the projected ones. */
async function compare(
  stored: ReadonlyMap<string, StoredState>,
  rows: readonly DigestedRow[],
  idOf: (agent: SessionAgent) => number,
): Promise<{ written: WrittenRow[]; replaced: StoredState[]; removed: StoredState[] }> {
  const [written, replaced]: [WrittenRow[], StoredState[]] = [[], []];
  const removed = new Map(stored);
  for await (const { conversationUpdatedAt, agent, session, key, updatedAt, digest } of inTurns(rows)) {
    const text = keyText(key);
    const agentId = idOf(agent);
    const previous = stored.get(text);
    removed.delete(text);
    const isChanged = previous?.digest !== digest;
    if (!isChanged && previous.agentId === agentId) continue;
    if (previous) replaced.push(previous);
    written.push({
      key,
      agentId,
      endReason: session.sessionEndReason,
      conversationUpdatedAt,
      updatedAt,
      digest,
      session,
      isNew: !previous,
      isChanged,
      change: previous?.change ?? 0,
    });
  }
  return { written, replaced, removed: [...removed.values()] };
}

function keyOf({ conversationId, sessionIndex, ticketId }: RowPosition): [string, number, string] {
  return [conversationId, sessionIndex, ticketId];
}
