import { type Change, type ChangeFeedModuleOptions, hexDigestSql } from '@cxp/change-feed';
import { type RowOf, textColumn } from '@cxp/storage';
import type { JsonLines } from '../conversation-sessions/json-lines';
import type { RowPresenter } from '../conversation-sessions/row-presenter';
import { keyText } from '../conversation-sessions/session-key';
import { COPIED_ROW, SESSION_TABLE } from '../conversation-sessions/stored-row';
import { contactCenterDatabase } from '../database';

const CHANGED_ROW = { ...COPIED_ROW, digest: textColumn(hexDigestSql('row.digest')) };

/** A row of the feed. */
export type ChangedRow = RowOf<typeof CHANGED_ROW>;

/** The feed of area B: the rows of B1. */
export const sessionFeed: ChangeFeedModuleOptions['feed'] = {
  name: 'conversation-sessions',
  schema: contactCenterDatabase.schema,
  table: SESSION_TABLE,
  columns: CHANGED_ROW,
  mode: 'copied in index order',
  bytes: 'bytes',
};

/** Adds the item as JSON, with more members at its end if some are given. */
export function addChange(
  lines: JsonLines,
  change: Change<ChangedRow>,
  presenter: RowPresenter,
  more = '',
): void {
  const start = `{"op":"${change.op}","change":${change.change}`;
  switch (change.op) {
    case 'upsert': {
      const { row } = change;
      const updatedAt = new Date(row.updatedAt).toISOString();
      lines.addText(
        `${start},"key":${keyText(row)},"conversationUpdatedAt":"${updatedAt}","digest":"${row.digest}","row":`,
      );
      presenter.addTo(lines, row, '');
      return lines.addText(`${more}}`);
    }
    case 'delete':
      return lines.addText(`${start},"key":${change.key},"reason":"${change.reason}"${more}}`);
    case 'resync':
      return lines.addText(`${start},"reason":${JSON.stringify(change.reason)}${more}}`);
  }
}
