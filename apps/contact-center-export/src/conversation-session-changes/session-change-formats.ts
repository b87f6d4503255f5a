import { Injectable } from '@nestjs/common';
import type { Change, ChangeFormat } from '@cxp/change-feed';
import { BusinessCalendars, type Timezone } from '../business-hours';
import { presentRows } from '../conversation-sessions/present-rows';
import { type ChangedRow, changeJson } from './session-change-feed';

@Injectable()
export class SessionChangeFormats {
  constructor(private readonly calendars: BusinessCalendars) {}

  /** To be opened after the changes are read: a schedule that is newer than them is announced by a later resync. */
  async open(organizationId: string, timezone: Timezone): Promise<ChangeFormat<ChangedRow>> {
    const calendar = await this.calendars.ofOrganization(organizationId, timezone);
    const json = async <Item extends Change<ChangedRow>>(
      changes: readonly Item[],
      more: (change: Item) => string,
    ) => {
      const rows = changes.map((change) => (change.op === 'upsert' ? [change.row] : []));
      const presented = await presentRows(rows.flat(), calendar);
      let place = 0;
      return changes.map((change) =>
        changeJson(change, change.op === 'upsert' ? presented[place++] : undefined, more(change)),
      );
    };
    return {
      items: async (changes) => (await json(changes, () => '')).join(','),
      lines: async (changes) =>
        (await json(changes, ({ cursor }) => `,"cursor":"${cursor}"`)).map((line) => `${line}\n`).join(''),
      end: ({ nextCursor, hasMore }) => ({ nextCursor, hasMore }),
    };
  }
}
