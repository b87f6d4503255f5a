import { type Change, type ChangeFeedModuleOptions, hexDigestSql } from '@cxp/change-feed';
import { type RowOf, textColumn } from '@cxp/storage';
import type { PresentedRow } from '../conversation-sessions/present-rows';
import { keyText } from '../conversation-sessions/session-key';
import { SESSIONS, STORED_ROW } from '../conversation-sessions/stored-row';

const CHANGED_ROW = { ...STORED_ROW, digest: textColumn(hexDigestSql('row.digest')) };

/** A row of the feed. */
export type ChangedRow = RowOf<typeof CHANGED_ROW>;

/** The feed of area B: the rows of B1. */
export const sessionFeed: ChangeFeedModuleOptions['feed'] = {
  name: 'conversation-sessions',
  schema: SESSIONS.schema,
  table: SESSIONS.table,
  columns: CHANGED_ROW,
  mode: 'copied in index order',
  bytes: 'bytes',
};

/** The item as JSON. @param row of an upsert, as it is answered. @param more members at its end */
export function changeJson(change: Change<ChangedRow>, row: PresentedRow | undefined, more = ''): string {
  const start = `{"op":"${change.op}","change":${change.change}`;
  switch (change.op) {
    case 'upsert': {
      const { updatedAt, digest } = change.row;
      const conversationUpdatedAt = new Date(updatedAt).toISOString();
      return (
        `${start},"key":${keyText(change.row)},"conversationUpdatedAt":"${conversationUpdatedAt}"` +
        `,"digest":"${digest}","row":${JSON.stringify(row)}${more}}`
      );
    }
    case 'delete':
      return `${start},"key":${change.key},"reason":"${change.reason}"${more}}`;
    case 'resync':
      return `${start},"reason":${JSON.stringify(change.reason)}${more}}`;
  }
}
