import { jsonColumn, numberColumn, type RowOf, textColumn } from '@cxp/storage';
import type { BucketedTable } from '@cxp/pagination';
import { contactCenterDatabase } from '../database';
import { milliseconds } from '../database/sql';
import type { ConversationSessionRow } from '../derivation';

/** The rows of an organization are one list. */
export const SESSION_LIST = '';

/** The table of rows. */
export const SESSIONS: BucketedTable = {
  schema: contactCenterDatabase.schema,
  table: 'contact_center.conversation_session',
  list: `''`,
  time: 'conversation_updated_at',
  order: ['conversation_updated_at', 'conversation_id', 'session_index', 'ticket_id'],
};

/** SQL: the order of the export. */
export const ORDER = SESSIONS.order.map((column) => `row.${column}`).join(', ');

/** The columns of a row that is read: its fields without the business hours, and its position. */
export const STORED_ROW = {
  document: jsonColumn<ConversationSessionRow>('row.document'),
  updatedAt: numberColumn(milliseconds('row.conversation_updated_at')),
  conversationId: textColumn('row.conversation_id'),
  sessionIndex: numberColumn('row.session_index'),
  ticketId: textColumn('row.ticket_id'),
};

export type StoredRow = RowOf<typeof STORED_ROW>;
