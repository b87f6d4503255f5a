import { Injectable } from '@nestjs/common';
import { ProblemError } from '@cxp/error-envelopes';
import { camelCasePage, pageRange } from '@cxp/pagination';
import { MAX_READ_BYTES, readAhead, ReadStore, unstorableTextPaths } from '@cxp/storage';
import { type BusinessCalendar, BusinessCalendars, type Timezone } from '../business-hours';
import type { ConversationSessionsQuery } from './conversation-session.dto';
import { ConversationSessionRepository, type PlacedRow } from './conversation-session.repository';
import { JsonLines } from './json-lines';
import { BEFORE_EVERY_ROW, rowCursor, type RowPosition } from './row-cursor';
import { RowPresenter, type StoredRow } from './row-presenter';
import { sessionFilter } from './session-filter';
import { SessionPageReadModel } from './session-page.read-model';

/** Rows that a stream reads at once: it holds those of two reads. */
const STREAM_ROWS = 1_000;

/** The bytes that a line has beside its document. */
const LINE_BYTES = 400;

@Injectable()
export class ConversationSessionService {
  constructor(
    private readonly store: ReadStore,
    private readonly sessions: ConversationSessionRepository,
    private readonly calendars: BusinessCalendars,
  ) {}

  /**
   * One page: the one of that number, or, with a cursor, the one after it.
   * @returns the answer as JSON
   */
  async page(organizationId: string, query: ConversationSessionsQuery): Promise<string> {
    const { page, perPage, cursor, timezone } = query;
    const filter = sessionFilter(query);
    const { offset, limit } = cursor === undefined ? pageRange(query) : { offset: 0, limit: 0 };
    const { total, rows, scheduleVersion, rowsAfter } = await this.store.read(async (manager) => ({
      ...(await new SessionPageReadModel(manager).find(organizationId, filter, offset, limit)),
      rowsAfter:
        cursor &&
        (await new ConversationSessionRepository(manager).after(organizationId, filter, cursor, perPage)),
    }));
    const calendar = await this.calendars.ofVersion(organizationId, scheduleVersion, timezone);
    const answer = {
      ...camelCasePage({ total, page, perPage }),
      ...(rowsAfter && { nextCursor: nextCursor(rowsAfter) }),
    };
    const items = present(rowsAfter ?? rows, calendar);
    return `{"items":${items},${JSON.stringify(answer).slice(1)}`;
  }

  /**
   * Every row of the window, or after a cursor, in order, some at a time, as they are formatted. Each read begins where the last one
   * ended: a conversation that changes meanwhile moves to the end.
   * @returns when the first rows are read, so that an error before them is answered with its status
   */
  async stream<Formatted>(
    organizationId: string,
    query: ConversationSessionsQuery,
    format: (rows: readonly PlacedRow[], presenter: RowPresenter) => Formatted,
  ): Promise<AsyncIterable<Formatted>> {
    const filter = sessionFilter(query);
    const read = (position: RowPosition) =>
      this.store.read((manager) =>
        new ConversationSessionRepository(manager).after(
          organizationId,
          filter,
          position,
          STREAM_ROWS,
          MAX_READ_BYTES,
        ),
      );
    const presenter = new RowPresenter(await this.calendars.ofOrganization(organizationId, query.timezone));
    const first = await read(query.cursor ?? BEFORE_EVERY_ROW);
    const reads = readAhead(first, (rows) => {
      const isCut = rows.length === STREAM_ROWS || bytesOf(rows) >= MAX_READ_BYTES;
      return isCut ? read(rows.at(-1)!) : undefined;
    });
    return (async function* () {
      for await (const rows of reads) {
        if (rows.length > 0) yield format(rows, presenter);
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
    const calendar = await this.calendars.ofOrganization(organizationId, timezone);
    return `{"items":${present(rows, calendar)}}`;
  }
}

/** Rows as JSON objects, each with a `cursor` of its own. */
export function toJsonWithCursor(rows: readonly PlacedRow[], presenter: RowPresenter): string[] {
  return rows.map((row) => presenter.toJson(row, `,"cursor":"${rowCursor(row)}"`));
}

/** The same as NDJSON. */
export function toNdjson(rows: readonly PlacedRow[], presenter: RowPresenter): Buffer {
  const lines = new JsonLines(bytesOf(rows) + rows.length * LINE_BYTES);
  for (const row of rows) {
    presenter.addTo(lines, row, `,"cursor":"${rowCursor(row)}"`);
    lines.addText('\n');
  }
  return lines.toBuffer();
}

/** @returns a JSON array */
function present(rows: readonly StoredRow[], calendar: BusinessCalendar | undefined): string {
  const presenter = new RowPresenter(calendar);
  return `[${rows.map((row) => presenter.toJson(row)).join(',')}]`;
}

function nextCursor(rows: readonly PlacedRow[]): string | null {
  const last = rows.at(-1);
  return last ? rowCursor(last) : null;
}

function bytesOf(rows: readonly PlacedRow[]): number {
  return rows.reduce((bytes, { document }) => bytes + document.length, 0);
}
