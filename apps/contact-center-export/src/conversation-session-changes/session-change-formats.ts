import { Injectable } from '@nestjs/common';
import type { Change, ChangeFormat } from '@cxp/change-feed';
import { BusinessCalendars, type Timezone } from '../business-hours';
import { bytesOf } from '../conversation-sessions/conversation-session.repository';
import { JsonLines } from '../conversation-sessions/json-lines';
import { RowPresenter } from '../conversation-sessions/row-presenter';
import { addChange, type ChangedRow } from './session-change-feed';

/** The bytes that an item has beside its document. */
const ITEM_BYTES = 700;

@Injectable()
export class SessionChangeFormats {
  constructor(private readonly calendars: BusinessCalendars) {}

  /** To be opened after the changes are read: a schedule that is newer than them is announced by a later resync. */
  async open(organizationId: string, timezone: Timezone): Promise<ChangeFormat<ChangedRow>> {
    const presenter = new RowPresenter(await this.calendars.ofOrganization(organizationId, timezone));
    return {
      items: async (changes) => {
        const json = await prepareLines(changes, presenter);
        json.addList(changes, (change) => addChange(json, change, presenter));
        return json.toBuffer();
      },
      lines: async (changes) => {
        const lines = await prepareLines(changes, presenter);
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

/** Prepares the presenter for the changes. @returns empty lines, with room for them */
async function prepareLines(
  changes: readonly Change<ChangedRow>[],
  presenter: RowPresenter,
): Promise<JsonLines> {
  const rows = changes.flatMap((change) => (change.op === 'upsert' ? change.row : []));
  await presenter.prepare(rows);
  return new JsonLines(bytesOf(rows) + changes.length * ITEM_BYTES);
}
