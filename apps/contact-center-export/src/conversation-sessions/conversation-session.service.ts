import { Injectable } from '@nestjs/common';
import { ProblemError } from '@cxp/error-envelopes';
import { pageCount } from '@cxp/pagination';
import { unstorableTextPaths } from '@cxp/storage';
import type { Timezone } from '../business-hours';
import { ConversationSessionReadModel, type PlacedRow } from './conversation-session.read-model';
import type { ConversationSessionsQuery } from './conversation-session.query';
import { HumanScheduleReadModel, type VersionedSchedule } from './human-schedule.read-model';
import { BEFORE_EVERY_ROW, rowCursor, type RowPosition } from './row-cursor';
import { RowPresenter, type StoredRow } from './row-presenter';
import { sessionFilter } from './session-filter';
import { SessionPageReadModel } from './session-page.read-model';

/** Rows that a stream reads at once: all that it ever holds. */
const STREAM_ROWS = 500;

@Injectable()
export class ConversationSessionService {
  constructor(
    private readonly pages: SessionPageReadModel,
    private readonly sessions: ConversationSessionReadModel,
    private readonly schedules: HumanScheduleReadModel,
  ) {}

  /**
   * One page: the one of that number, or, with a cursor, the one after it.
   * @returns the answer as JSON
   */
  async page(organizationId: string, query: ConversationSessionsQuery): Promise<string> {
    const { page, perPage, cursor, timezone } = query;
    const filter = sessionFilter(query);
    const [offset, limit] = cursor === undefined ? [(page - 1) * perPage, perPage] : [0, 0];
    const { total, rows, scheduleVersion } = await this.pages.find(organizationId, filter, offset, limit);
    const rowsAfter = cursor && (await this.sessions.after(organizationId, filter, cursor, perPage));
    const schedule = await this.schedules.ofVersion(organizationId, scheduleVersion);
    const answer = {
      total,
      page,
      perPage,
      pages: pageCount(total, perPage),
      ...(rowsAfter && { nextCursor: nextCursor(rowsAfter) }),
    };
    const items = present(rowsAfter ?? rows, schedule, timezone);
    return `{"items":${items},${JSON.stringify(answer).slice(1)}`;
  }

  /**
   * Every row of the window, or after a cursor, in order: JSON objects with a `cursor` of their own. They come a
   * stretch at a time, as they are read, each where the last one ended: a slow client holds no connection, and a conversation that
   * changes meanwhile moves to the end.
   * @returns when the first stretch is there, so that what is wrong is told before anything is sent
   */
  async stream(organizationId: string, query: ConversationSessionsQuery): Promise<AsyncIterable<string[]>> {
    const filter = sessionFilter(query);
    const read = (position: RowPosition) =>
      this.sessions.after(organizationId, filter, position, STREAM_ROWS);
    const presenter = new RowPresenter(await this.schedules.ofOrganization(organizationId), query.timezone);
    const first = await read(query.cursor ?? BEFORE_EVERY_ROW);
    return (async function* () {
      for (let rows = first; ; rows = await read(rows.at(-1)!)) {
        if (rows.length > 0) yield rows.map((row) => presenter.toJson(row, `,"cursor":"${rowCursor(row)}"`));
        if (rows.length < STREAM_ROWS) return;
      }
    })();
  }

  /**
   * @returns the answer as JSON
   * @throws ProblemError when the organization has no such conversation
   */
  async ofConversation(organizationId: string, conversationId: string, timezone: Timezone): Promise<string> {
    const canBe = unstorableTextPaths(conversationId).length === 0;
    const rows = canBe ? await this.sessions.ofConversation(organizationId, conversationId) : undefined;
    if (!rows)
      throw new ProblemError({ code: 'resource_not_found', model: 'conversation', id: conversationId });
    const schedule = await this.schedules.ofOrganization(organizationId);
    return `{"items":${present(rows, schedule, timezone)}}`;
  }
}

/** @returns a JSON array */
function present(
  rows: readonly StoredRow[],
  schedule: VersionedSchedule | undefined,
  timezone: Timezone,
): string {
  const presenter = new RowPresenter(schedule, timezone);
  return `[${rows.map((row) => presenter.toJson(row)).join(',')}]`;
}

function nextCursor(rows: readonly PlacedRow[]): string | null {
  const last = rows.at(-1);
  return last ? rowCursor(last) : null;
}
