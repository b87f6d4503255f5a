import { Injectable } from '@nestjs/common';
import { type Change, type ChangeFeedModuleOptions, type ChangeFormat, hexDigestSql } from '@cxp/change-feed';
import { type RowOf, STREAM_PAUSE, textColumn, withPauses } from '@cxp/storage';
import { BusinessCalendars, type Timezone } from '../business-hours';
import { type PresentedRow, presentRows } from '../conversation-sessions/present-rows';
import { rowKeyText, SESSIONS, STORED_ROW } from '../conversation-sessions/stored-row';

const CHANGED_ROW = { ...STORED_ROW, digest: textColumn(hexDigestSql('row.digest')) };

export type ChangedRow = RowOf<typeof CHANGED_ROW>;

export const sessionFeed: ChangeFeedModuleOptions['feed'] = {
  name: 'conversation-sessions',
  schema: SESSIONS.schema,
  table: SESSIONS.table,
  columns: CHANGED_ROW,
  mode: 'in index order',
  bytes: 'bytes',
};

/** @param row of an upsert, as it is answered */
function changeJson(change: Change<ChangedRow>, row: PresentedRow | undefined): string {
  const start = `{"op":"${change.op}","change":${change.change}`;
  switch (change.op) {
    case 'upsert': {
      const { updatedAt, digest } = change.row;
      const conversationUpdatedAt = new Date(updatedAt).toISOString();
      return (
        `${start},"key":${rowKeyText(change.row)},"conversationUpdatedAt":"${conversationUpdatedAt}"` +
        `,"digest":"${digest}","row":${JSON.stringify(row)}}`
      );
    }
    case 'delete':
      return `${start},"key":${change.key},"reason":"${change.reason}"}`;
    case 'resync':
      return `${start},"reason":${JSON.stringify(change.reason)}}`;
  }
}

@Injectable()
export class SessionChangeFormats {
  constructor(private readonly calendars: BusinessCalendars) {}

  /** Has to be called after the changes are read: a later resync announces a schedule that is newer than them. */
  async open(organizationId: string, timezone: Timezone): Promise<ChangeFormat<ChangedRow>> {
    const calendar = await this.calendars.ofOrganization(organizationId, timezone);
    return {
      items: async (changes, stop) => {
        const rows = changes.map((change) => (change.op === 'upsert' ? [change.row] : []));
        const presented = await presentRows(rows.flat(), calendar, stop);
        let place = 0;
        const texts: string[] = [];
        for await (const change of withPauses(changes, STREAM_PAUSE, stop))
          texts.push(changeJson(change, change.op === 'upsert' ? presented[place++] : undefined));
        return texts;
      },
      end: ({ nextCursor, hasMore }) => ({ nextCursor, hasMore }),
    };
  }
}
