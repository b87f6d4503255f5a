import { Injectable } from '@nestjs/common';
import type { Change, ChangeFormat } from '@cxp/change-feed';
import { BusinessCalendars, type Timezone } from '../business-hours';
import { JsonLines } from '../conversation-sessions/json-lines';
import { RowPresenter } from '../conversation-sessions/row-presenter';
import { addChange, type ChangedRow } from './session-change-feed';

/** What an item has at least, in bytes. */
const ITEM_BYTES = 1_500;

@Injectable()
export class SessionChangeFormats {
  constructor(private readonly calendars: BusinessCalendars) {}

  /** To be opened after the changes are read: a schedule that is newer than them is announced by a later resync. */
  async open(organizationId: string, timezone: Timezone): Promise<ChangeFormat<ChangedRow>> {
    const presenter = new RowPresenter(await this.calendars.ofOrganization(organizationId, timezone));
    return {
      items: async (changes) => {
        await presenter.prepare(rowsOf(changes));
        const json = new JsonLines(changes.length * ITEM_BYTES);
        changes.forEach((change, place) => {
          if (place > 0) json.addText(',');
          addChange(json, change, presenter);
        });
        return json.toBuffer();
      },
      lines: async (changes) => {
        await presenter.prepare(rowsOf(changes));
        const lines = new JsonLines(changes.length * ITEM_BYTES);
        for (const change of changes) {
          addChange(lines, change, presenter, `,"cursor":"${change.cursor}"`);
          lines.addText('\n');
        }
        return lines.toBuffer();
      },
      end: ({ nextCursor, hasMore }) => ({ nextCursor, hasMore }),
    };
  }
}

function rowsOf(changes: readonly Change<ChangedRow>[]): ChangedRow[] {
  return changes.flatMap((change) => (change.op === 'upsert' ? change.row : []));
}
