import { nullable, numberColumn, type RowOf, textColumn, utf8Column } from '@cxp/storage';
import type { Instant } from '../business-hours';
import { milliseconds } from '../database/sql';

export const SESSION_TABLE = 'contact_center.conversation_session';

/** SQL: the order of the export. */
export const ORDER = 'row.conversation_updated_at, row.conversation_id, row.session_index, row.ticket_id';

/** The columns of a row that is read: its answer without the business hours, the ends of the spans they measure, and its position. */
const ROW = {
  botHandoffAt: nullable(numberColumn<Instant>(milliseconds('row.bot_handoff_at'))),
  firstAgentAssignedAt: nullable(numberColumn<Instant>(milliseconds('row.first_agent_assigned_at'))),
  firstAgentMessageAt: nullable(numberColumn<Instant>(milliseconds('row.first_agent_message_at'))),
  conversationResolvedAt: nullable(numberColumn<Instant>(milliseconds('row.conversation_resolved_at'))),
  updatedAt: numberColumn(milliseconds('row.conversation_updated_at')),
  conversationId: textColumn('row.conversation_id'),
  sessionIndex: numberColumn('row.session_index'),
  ticketId: textColumn('row.ticket_id'),
};

export const STORED_ROW = { document: textColumn('row.document'), ...ROW };

/** The same of a copied statement, whose documents go into answers as they are. */
export const COPIED_ROW = { document: utf8Column('row.document'), ...ROW };

export type StoredRow<Document extends string | Buffer = string | Buffer> = RowOf<typeof ROW> & {
  readonly document: Document;
};

/** Whether a row was found, in a statement that answers a row of nulls otherwise. */
export function hasDocument<Row extends { readonly document: string | null }>(
  row: Row,
): row is Row & { readonly document: string } {
  return row.document !== null;
}
