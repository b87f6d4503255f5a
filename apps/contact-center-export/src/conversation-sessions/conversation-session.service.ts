import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { ProblemError } from '@cxp/error-envelopes';
import { camelCasePage, pageRange } from '@cxp/pagination';
import { itemsJson, nextTurn } from '@cxp/service-kit';
import { MAX_PIECE_BYTES, MAX_READ_BYTES, readAhead, readOn, unstorableTextPaths } from '@cxp/storage';
import { BusinessCalendars, type Timezone } from '../business-hours';
import { ConversationSessionDigestReadModel } from '../conversation-session-changes/conversation-session-digest.read-model';
import { FILTERS } from '../session-counts';
import type { ConversationSessionsQuery } from './conversation-session.dto';
import { bytesOf, ConversationSessionRepository } from './conversation-session.repository';
import { JsonLines } from './json-lines';
import { BEFORE_EVERY_ROW, rowCursor, type RowPosition } from './row-cursor';
import { RowPresenter } from './row-presenter';
import { sessionFilter } from './session-filter';
import { findPage } from './session-page.read-model';
import type { StoredRow } from './stored-row';

/** Rows that a stream reads at once: it holds those of two reads. */
const STREAM_ROWS = 1_000;

/** The bytes that a line has beside its document. */
const LINE_BYTES = 400;

@Injectable()
export class ConversationSessionService {
  constructor(
    private readonly manager: EntityManager,
    private readonly digests: ConversationSessionDigestReadModel,
    private readonly sessions: ConversationSessionRepository,
    private readonly calendars: BusinessCalendars,
  ) {}

  /**
   * What a file of a window says of itself: the window and, of one snapshot, the digests of its days and the number of the organization's
   * last change. There are no digests of a file that has not all of the window's rows, or of more hours than they are made of.
   */
  async describe(organizationId: string, query: ConversationSessionsQuery): Promise<Record<string, string>> {
    const filter = sessionFilter(query);
    const { startDate, endDate, timezone, cursor } = query;
    const used = Object.keys(FILTERS).filter((name) => query[name as keyof typeof FILTERS]);
    const window = JSON.stringify({ startDate, endDate, timezone: timezone.name });
    if (cursor !== undefined || used.length > 0) return { window };
    const digests = await this.digests
      .ofDays(organizationId, { ...filter, timezone })
      .catch((error: unknown) => {
        if (error instanceof ProblemError && error.problem.code === 'invalid') return undefined;
        throw error;
      });
    if (!digests) return { window };
    return { window, change: String(digests.change), digests: JSON.stringify(digests.items) };
  }

  /**
   * One page: the one of that number, or, with a cursor, the one after it. If its rows are too large to be read at once, the first
   * ones, the total and the schedule are of one snapshot, and each further read follows the order as it is by then, as pages do.
   * @returns the answer as JSON, piece by piece
   */
  async *page(organizationId: string, query: ConversationSessionsQuery): AsyncGenerator<string | Buffer> {
    const { page, perPage, cursor, timezone } = query;
    const filter = sessionFilter(query);
    const { offset, limit } = cursor === undefined ? pageRange(query) : { offset: 0, limit: 0 };
    const { total, rows, scheduleVersion } = await findPage(
      this.manager,
      organizationId,
      filter,
      offset,
      limit,
    );
    const rowsAfter = cursor && (await this.sessions.after(organizationId, filter, cursor, perPage));
    const presenter = new RowPresenter(
      await this.calendars.ofVersion(organizationId, scheduleVersion, timezone),
    );
    const isComplete = rowsAfter && bytesOf(rowsAfter) < MAX_PIECE_BYTES;
    const count = isComplete ? rowsAfter.length : Math.min(perPage, rowsAfter ? perPage : total - offset);
    const reads = readOn<StoredRow>(rowsAfter ?? rows, count, (last, more) =>
      this.sessions.after(organizationId, filter, last, more),
    );
    let last: StoredRow | undefined;
    yield* itemsJson(
      reads,
      (items) => {
        last = items.at(-1);
        return present(items, presenter);
      },
      () => ({
        ...camelCasePage({ total, page, perPage }),
        ...(rowsAfter && { nextCursor: last ? rowCursor(last) : null }),
      }),
    );
  }

  /**
   * Every row of the window, or after a cursor, in order, some at a time, as they are formatted. Each read begins where the last one
   * ended: a conversation that changes meanwhile moves to the end.
   * @returns when the first rows are read, so that an error before them is answered with its status
   */
  async stream<Formatted>(
    organizationId: string,
    query: ConversationSessionsQuery,
    format: (rows: readonly StoredRow<Buffer>[], presenter: RowPresenter) => Formatted,
  ): Promise<AsyncIterable<Formatted>> {
    const filter = sessionFilter(query);
    const read = (position: RowPosition) =>
      this.sessions.after(organizationId, filter, position, STREAM_ROWS, MAX_READ_BYTES);
    const presenter = new RowPresenter(await this.calendars.ofOrganization(organizationId, query.timezone));
    const first = await read(query.cursor ?? BEFORE_EVERY_ROW);
    const reads = readAhead(first, (rows) => {
      const isCut = rows.length === STREAM_ROWS || bytesOf(rows) >= MAX_READ_BYTES;
      return isCut ? read(rows.at(-1)!) : undefined;
    });
    return (async function* () {
      for await (const rows of reads) {
        if (rows.length === 0) continue;
        await nextTurn();
        await presenter.prepare(rows);
        yield format(rows, presenter);
      }
    })();
  }

  /**
   * @returns the answer as JSON, piece by piece
   * @throws ProblemError when the organization has no such conversation
   */
  async *ofConversation(
    organizationId: string,
    conversationId: string,
    timezone: Timezone,
  ): AsyncGenerator<string | Buffer> {
    const canBe = unstorableTextPaths(conversationId).length === 0;
    const reads = canBe ? await this.sessions.ofConversation(organizationId, conversationId) : undefined;
    if (!reads)
      throw new ProblemError({ code: 'resource_not_found', model: 'Conversation', id: conversationId });
    const presenter = new RowPresenter(await this.calendars.ofOrganization(organizationId, timezone));
    yield* itemsJson(reads, (items) => present(items, presenter));
  }
}

/** Rows as JSON objects. */
export function toJson(rows: readonly StoredRow<Buffer>[], presenter: RowPresenter): string[] {
  return rows.map((row) => presenter.toJson(row));
}

/** The same with `conversationUpdatedAt`. */
export function toJsonWithUpdate(rows: readonly StoredRow<Buffer>[], presenter: RowPresenter): string[] {
  return rows.map((row) =>
    presenter.toJson(row, `,"conversationUpdatedAt":"${new Date(row.updatedAt).toISOString()}"`),
  );
}

/** Rows as JSON objects, each with a `cursor` of its own. */
export function toJsonWithCursor(rows: readonly StoredRow<Buffer>[], presenter: RowPresenter): string[] {
  return rows.map((row) => presenter.toJson(row, `,"cursor":"${rowCursor(row)}"`));
}

/** The same as NDJSON. */
export function toNdjson(rows: readonly StoredRow<Buffer>[], presenter: RowPresenter): Buffer {
  const lines = new JsonLines(bytesOf(rows) + rows.length * LINE_BYTES);
  for (const row of rows) {
    presenter.addTo(lines, row, `,"cursor":"${rowCursor(row)}"`);
    lines.addText('\n');
  }
  return lines.toBuffer();
}

/** @returns JSON objects, separated by commas */
async function present(rows: readonly StoredRow[], presenter: RowPresenter): Promise<Buffer> {
  await presenter.prepare(rows);
  // About so many: to count the bytes of texts takes longer than to make room once more.
  const json = new JsonLines(rows.reduce((bytes, { document }) => bytes + document.length + LINE_BYTES, 0));
  json.addList(rows, (row) => presenter.addTo(json, row, ''));
  return json.toBuffer();
}
