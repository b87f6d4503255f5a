import { Inject, Injectable } from '@nestjs/common';
import { type Change, ChangeFeed, changesJson, digestsJson, type PageRequest } from '@cxp/change-feed';
import { ProblemError } from '@cxp/error-envelopes';
import { nextTurn } from '@cxp/service-kit';
import { ReadStore } from '@cxp/storage';
import { BusinessCalendars, type Timezone } from '../business-hours';
import { JsonLines } from '../conversation-sessions/json-lines';
import { RowPresenter } from '../conversation-sessions/row-presenter';
import { ConversationSessionDigestReadModel, type Window } from './conversation-session-digest.read-model';
import { addChange, type ChangedRow } from './session-change-feed';

/** What an item has at least, in bytes. */
const ITEM_BYTES = 1_500;

@Injectable()
export class ConversationSessionChangeService {
  constructor(
    @Inject(ChangeFeed) private readonly feed: ChangeFeed<ChangedRow>,
    private readonly calendars: BusinessCalendars,
    private readonly store: ReadStore,
  ) {}

  /**
   * @returns the answer as JSON, piece by piece
   * @throws ProblemError 422 for a foreign cursor, 410 for an expired one
   */
  async *page(
    organizationId: string,
    timezone: Timezone,
    request: PageRequest,
  ): AsyncGenerator<string | Buffer> {
    const pages = await this.feed.page(organizationId, request);
    // Read after the changes: a schedule that is newer than them is announced by a later resync.
    const presenter = new RowPresenter(await this.calendars.ofOrganization(organizationId, timezone));
    yield* changesJson(
      pages,
      async (items) => {
        await presenter.prepare(rowsOf(items));
        const json = new JsonLines(items.length * ITEM_BYTES);
        items.forEach((item, place) => {
          if (place > 0) json.addText(',');
          addChange(json, item, presenter);
        });
        return json.toBuffer();
      },
      ({ nextCursor, hasMore }) => ({ nextCursor, hasMore }),
    );
  }

  /**
   * @returns the lines of some changes at a time, when the first are read
   * @throws ProblemError as `page`
   */
  async stream(
    organizationId: string,
    timezone: Timezone,
    cursor: string | undefined,
  ): Promise<AsyncIterable<Buffer>> {
    const reads = await this.feed.stream(organizationId, cursor);
    const presenter = new RowPresenter(await this.calendars.ofOrganization(organizationId, timezone));
    return (async function* () {
      for await (const changes of reads) {
        await nextTurn();
        await presenter.prepare(rowsOf(changes));
        const lines = new JsonLines(changes.length * ITEM_BYTES);
        for (const change of changes) {
          addChange(lines, change, presenter, `,"cursor":"${change.cursor}"`);
          lines.addText('\n');
        }
        yield lines.toBuffer();
      }
    })();
  }

  /**
   * @returns the answer as JSON, piece by piece
   * @throws ProblemError 422 if the window holds too much
   */
  async *digests(organizationId: string, window: Window): AsyncGenerator<string | Buffer> {
    const last = await this.feed.lastChange(organizationId);
    const digests = await this.store.read(async (manager) => {
      const digests = await new ConversationSessionDigestReadModel(manager).ofDays(organizationId, window);
      // Of a replica, whose rows a follower may be ahead of.
      if (digests.change < last) throw new ProblemError({ code: 'dependency_unavailable' });
      return digests;
    });
    yield* digestsJson(digests);
  }
}

function rowsOf(changes: readonly Change<ChangedRow>[]): ChangedRow[] {
  return changes.flatMap((change) => (change.op === 'upsert' ? change.row : []));
}
