import { type BucketedTable, canonicalWriter, textDigest } from '@cxp/change-feed';
import { jsonColumn, nullable, numberColumn, type RowOf, textColumn, utcTimeSql } from '@cxp/storage';
import { contactCenterDatabase } from '../database';
import { type ConversationSessionRow, STORED_FIELD_NAMES } from '../derivation';

export const SESSION_LIST = '';

export const SESSIONS: BucketedTable = {
  schema: contactCenterDatabase.schema,
  table: 'contact_center.conversation_session',
  list: `''`,
  isInList: (list) => `'' = ${list}`,
  time: 'conversation_updated_at',
  order: ['conversation_updated_at', 'conversation_id', 'session_index', 'ticket_id'],
};

/** The columns of the primary key within an organization. */
export const ROW_KEY = 'conversation_id, session_index, ticket_id';

export const ORDER = SESSIONS.order.map((column) => `row.${column}`).join(', ');

/** The fields in the order of their microseconds. */
export const ANCHOR_FIELDS = [
  'botHandoffAt',
  'firstAgentAssignedAt',
  'firstAgentMessageAt',
  'conversationResolvedAt',
] as const;
export type AnchorField = (typeof ANCHOR_FIELDS)[number];

/** The fields without the business hours, and the position. */
export const STORED_ROW = {
  document: jsonColumn<ConversationSessionRow>('row.document'),
  /** 0 to 999 for each anchor, which the document's milliseconds lack; null if all are 0. */
  anchorMicroseconds: nullable(jsonColumn<readonly number[]>('to_json(row.anchor_microseconds)')),
  /** `updatedAt` of the conversation, in the form of `utcTime`. */
  updatedAt: textColumn(utcTimeSql('row.conversation_updated_at')),
  conversationId: textColumn('row.conversation_id'),
  sessionIndex: numberColumn('row.session_index'),
  ticketId: textColumn('row.ticket_id'),
};

export type StoredRow = RowOf<typeof STORED_ROW>;

/** These replace null in a stored key. */
const NO_SESSION = 2_147_483_647;
const NO_TICKET = '-9223372036854775808';

interface SessionKey {
  readonly conversationId: string;
  readonly sessionIndex: number | null;
  readonly ticketId: number | null;
}

export interface StoredKey {
  readonly conversationId: string;
  readonly sessionIndex: number;
  readonly ticketId: string;
}

export function toStoredKey({ conversationId, sessionIndex, ticketId }: SessionKey): StoredKey {
  return {
    conversationId,
    sessionIndex: sessionIndex ?? NO_SESSION,
    ticketId: ticketId === null ? NO_TICKET : String(ticketId),
  };
}

export function keyTextBeginning(conversationId: string): string {
  return `{"conversationId":${JSON.stringify(conversationId)},`;
}

/** The key as JSON text in one canonical form. */
export function rowKeyText({ conversationId, sessionIndex, ticketId }: StoredKey): string {
  return (
    keyTextBeginning(conversationId) +
    `"sessionIndex":${sessionIndex === NO_SESSION ? null : sessionIndex}` +
    `,"ticketId":${ticketId === NO_TICKET ? null : ticketId}}`
  );
}

const canonicalRow = canonicalWriter<ConversationSessionRow>(STORED_FIELD_NAMES);

/** @param row without the three fields that depend on the timezone */
export function sessionDigest(key: StoredKey, updatedAt: string, row: ConversationSessionRow): bigint {
  const conversationUpdatedAt = new Date(updatedAt).toISOString();
  return textDigest(
    `{"conversationUpdatedAt":"${conversationUpdatedAt}","key":${rowKeyText(key)},"row":${canonicalRow(row)}}`,
  );
}

/** Filters of the export, with their columns, which the index of its order includes. */
export const FILTERS = {
  sessionAgentEmails: { column: 'agent_email', type: 'text' },
  assigneeAccountIds: { column: 'account_id', type: 'bigint' },
  sessionEndReasons: { column: 'session_end_reason', type: 'text' },
} as const;

export type FilterName = keyof typeof FILTERS;
type FilterColumn = (typeof FILTERS)[FilterName]['column'];

/** A row must have one of the values of each filter, as they are stored. An omitted filter accepts all rows. */
export type FilterValues = { readonly [Name in FilterName]?: readonly string[] };

export const FILTER_COLUMNS: readonly FilterColumn[] = Object.values(FILTERS).map(({ column }) => column);

export type FilterColumns = Readonly<Record<FilterColumn, string | number | null>>;

export function filterColumnsOf(
  session: ConversationSessionRow,
  ticketAssigneeAccountId: number | null,
): FilterColumns {
  return {
    agent_email: session.sessionAgentEmail.toLowerCase(),
    // A matched ticket's assignee is the session's agent, so a row has one account.
    account_id: session.sessionIndex === null ? ticketAssigneeAccountId : session.sessionAgentAccountId,
    session_end_reason: session.sessionEndReason,
  };
}
