import { bytesColumn, type CopiedRow, numberColumn, textColumn } from '@cxp/storage';
import type { Instant } from '../business-hours';
import { milliseconds } from '../database/sql';

export const SESSION_TABLE = 'contact_center.conversation_session';

/** SQL: the order of the export. */
export const ORDER = 'row.conversation_updated_at, row.conversation_id, row.session_index, row.ticket_id';

/** The columns of a row that is read: its answer without the business hours, the ends of the spans they measure, and its position. */
export const STORED_ROW = {
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

/** A row that is read; its document as text by a prepared statement, and as bytes by a copy. */
export type StoredRow<Document extends string | Buffer = string | Buffer> = Omit<
  CopiedRow<typeof STORED_ROW>,
  'document'
> & { readonly document: Document };
