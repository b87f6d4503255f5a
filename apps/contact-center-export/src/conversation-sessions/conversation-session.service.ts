import { Injectable } from '@nestjs/common';
import { ProblemError, rejectAsInvalid, type InvalidItem } from '@cxp/error-envelopes';
import { camelCasePage, pageRange, type CamelCasePageResponse } from '@cxp/pagination';
import { MAX_SHEET_ROWS } from '@cxp/spreadsheet';
import { STREAM_PAUSE, readAhead, unstorableTextPaths, yieldToEventLoop } from '@cxp/storage';
import { BusinessCalendars, type Timezone } from '../business-hours';
import { ConversationSessionDigestReadModel } from './conversation-session-digest.read-model';
import { type ConversationSessionsQuery, sessionFilter } from './conversation-session.dto';
import {
  ConversationSessionReadModel,
  filtersIn,
  type RowsOfConversation,
} from './conversation-session.read-model';
import { type PresentedRow, presentRows } from './present-rows';
import { BEFORE_EVERY_ROW, rowCursor, type RowPosition } from './row-cursor';
import type { StoredRow } from './stored-row';

/** A stream holds the rows of two reads. */
const STREAM_READ = { limit: 200, bytes: 512 * 1_024 };

const NO_ROWS = { offset: 0, limit: 0 };

/** One of a sheet's rows is the heading. */
export const MAX_WORKBOOK_ROWS = MAX_SHEET_ROWS - 1;

const TOO_MANY_ROWS: InvalidItem = {
  loc: ['query', 'endDate'],
  msg: `a workbook must have at most ${MAX_WORKBOOK_ROWS.toLocaleString('en')} rows: ask for a shorter window or for text/csv`,
  type: 'too_large',
};

export type SessionPageAnswer = CamelCasePageResponse & {
  readonly items: readonly PresentedRow[];
  readonly nextCursor?: string | null;
};

export interface StreamedRow {
  readonly fields: PresentedRow;
  readonly cursor: string;
  readonly conversationUpdatedAt: string;
}

@Injectable()
export class ConversationSessionService {
  constructor(
    private readonly digests: ConversationSessionDigestReadModel,
    private readonly sessions: ConversationSessionReadModel,
    private readonly calendars: BusinessCalendars,
  ) {}

  /**
   * The window and, from one snapshot, the digests of its days and the number of the last change. A file without all rows of
   * the window has no digests.
   */
  async describe(organizationId: string, query: ConversationSessionsQuery): Promise<Record<string, string>> {
    const { startDate, endDate, timezone, cursor } = query;
    const window = JSON.stringify({ startDate, endDate, timezone: timezone.name });
    if (cursor !== undefined || filtersIn(query).length > 0) return { window };
    const digests = await this.digests.ofDays(organizationId, { ...sessionFilter(query), timezone });
    return { window, change: String(digests.change), digests: JSON.stringify(digests.items) };
  }

  /** The page of the query, or the rows after its cursor. */
  async page(
    organizationId: string,
    query: ConversationSessionsQuery,
    stop: AbortSignal,
  ): Promise<SessionPageAnswer> {
    const { page, perPage, timezone, cursor } = query;
    const filter = sessionFilter(query);
    const range = cursor ? NO_ROWS : pageRange(query);
    const { total, scheduleVersion, rows } = await this.sessions.page(organizationId, filter, range);
    const after = cursor && (await this.sessions.after(organizationId, filter, cursor, { limit: perPage }));
    const calendar = await this.calendars.ofVersion(organizationId, scheduleVersion, timezone);
    const last = after?.rows.at(-1);
    return {
      items: await presentRows(after?.rows ?? rows, calendar, stop),
      ...camelCasePage({ total, page, perPage }),
      ...(after && { nextCursor: last ? rowCursor(last) : null }),
    };
  }

  /** @throws ProblemError 422 if a sheet cannot hold the rows of the window */
  async checkFitsSheet(organizationId: string, query: ConversationSessionsQuery): Promise<void> {
    const { total } = await this.sessions.page(organizationId, sessionFilter(query), NO_ROWS);
    if (total > MAX_WORKBOOK_ROWS) rejectAsInvalid(TOO_MANY_ROWS);
  }

  /**
   * Pages through the rows of the window, or after a cursor. A conversation that changes meanwhile moves to the end.
   * @returns after the first read, so that its error has a status
   */
  async stream(
    organizationId: string,
    query: ConversationSessionsQuery,
    stop: AbortSignal,
  ): Promise<AsyncIterable<readonly StreamedRow[]>> {
    const filter = sessionFilter(query);
    const read = (position: RowPosition) =>
      this.sessions.after(organizationId, filter, position, STREAM_READ);
    const calendar = await this.calendars.ofOrganization(organizationId, query.timezone);
    const first = await read(query.cursor ?? BEFORE_EVERY_ROW);
    const nextOf = ({ rows, hasMore }: typeof first) => (hasMore ? () => read(rows.at(-1)!) : undefined);
    const reads = readAhead(first, nextOf, stop);
    return (async function* () {
      for await (const { rows } of reads) {
        if (rows.length === 0) continue;
        await yieldToEventLoop(STREAM_PAUSE);
        const presented = await presentRows(rows, calendar, stop);
        yield presented.map((fields, place) => ({
          fields,
          cursor: rowCursor(rows[place]!),
          conversationUpdatedAt: new Date(rows[place]!.updatedAt).toISOString(),
        }));
      }
    })();
  }

  /**
   * Pages through up to ten thousand rows; fails if the conversation changes meanwhile.
   * @returns after the first read
   * @throws ProblemError for an unknown conversation
   */
  async ofConversation(
    organizationId: string,
    conversationId: string,
    timezone: Timezone,
    stop: AbortSignal,
  ): Promise<{ readonly isWhole: boolean; readonly reads: AsyncIterable<readonly PresentedRow[]> }> {
    const read = (after?: StoredRow) =>
      this.sessions.ofConversation(organizationId, conversationId, STREAM_READ, after);
    const canBe = unstorableTextPaths(conversationId).length === 0;
    const first = canBe ? await read() : undefined;
    if (!first)
      throw new ProblemError({ code: 'resource_not_found', model: 'Conversation', id: conversationId });
    const calendar = await this.calendars.ofOrganization(organizationId, timezone);
    const nextOf = ({ rows, hasMore }: RowsOfConversation) =>
      hasMore
        ? async () => {
            const next = await read(rows.at(-1));
            if (next?.state !== first.state)
              throw new Error('the conversation has changed while it was answered');
            return next;
          }
        : undefined;
    const reads = readAhead(first, nextOf, stop);
    return {
      isWhole: !first.hasMore,
      reads: (async function* () {
        for await (const { rows } of reads) {
          if (first.hasMore) await yieldToEventLoop(STREAM_PAUSE);
          yield await presentRows(rows, calendar, stop);
        }
      })(),
    };
  }
}
