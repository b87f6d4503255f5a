import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import type { Problem } from '@cxp/error-envelopes';
import { IntegerParameter, pageJson, withMember } from '@cxp/pagination';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '@cxp/auth-headers';
import type { ConcurrencyLimit } from '@cxp/rate-limit';
import { JSON_TYPE, preferredMediaType } from '@cxp/service-kit';
import { KeyedLimit, STREAM_PAUSE, withPauses, yieldToEventLoop } from '@cxp/storage';
import {
  type Change,
  ChangeFeed,
  type ChangePage,
  NOT_ISSUED,
  PAGE_BYTES,
  type PageRequest,
} from './change-feed';

const MAX_LIMIT = 1_000;

const MAX_WAIT_SECONDS = 25;

/**
 * Milliseconds. Pages of an organization are read and written one after the other: many large ones, or readers that were woken at once, take no
 * more turns of the event loop than one of another organization.
 */
const TURN_MS = 10_000;

export class ChangesQuery {
  @ApiPropertyOptional({
    description:
      'A `cursor` or next cursor of this endpoint: the answer continues after it. Without it the reading starts at the beginning.',
  })
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{0,200}$/, { message: '$property must be empty, or a cursor that an answer gave' })
  cursor?: string;

  @IntegerParameter({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: 500,
    description:
      'The maximum number of items. If rows are large, an answer holds fewer, and says that there are more.',
  })
  limit: number = 500;

  @IntegerParameter({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    description:
      'Seconds. If there is no change after the cursor, the request waits up to this long and is answered as soon as there is one.',
  })
  wait: number = 0;
}

export const CURSOR_PROBLEMS: Readonly<Record<string, Problem>> = {
  'a removal that the reader has not seen is no longer kept, or the database was restored or has failed over':
    {
      code: 'cursor_expired',
    },
  'invalid parameters, or a cursor that was not issued for this organization and endpoint': {
    code: 'invalid',
    items: [NOT_ISSUED],
  },
};

const MEDIA_TYPES = ['application/json', 'application/x-ndjson'] as const;

export interface ChangeFormat<Row extends object> {
  /**
   * Changes as JSON, without their cursors.
   * @param stop ends the work with its reason
   */
  readonly items: (
    changes: readonly Change<Row>[],
    stop?: AbortSignal,
  ) => readonly string[] | Promise<readonly string[]>;
  /** The members after the items of a page, beside `change`. */
  readonly end: (page: Pick<ChangePage<Row>, 'nextCursor' | 'hasMore'>) => object;
}

/** Called after the first changes are read. */
type OpenFormat<Row extends object> = () => ChangeFormat<Row> | Promise<ChangeFormat<Row>>;

export interface ChangesCall {
  readonly organizationId: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly authenticator: Authenticator;
  /** Limits streams, which are as long as exports and have clients as slow. */
  readonly streams: ConcurrencyLimit;
}

@Injectable()
export class ChangeAnswers<Row extends object> {
  private readonly turns = new KeyedLimit({ places: 1, waitMs: TURN_MS });

  constructor(private readonly feed: ChangeFeed<Row>) {}

  /**
   * A page or, by `Accept`, a stream of lines.
   * @throws ProblemError 422 if the cursor was not issued for this organization and feed, 410 if it is expired, 429 if the
   * organization has too many streams
   */
  async changes(
    { organizationId, request, reply, authenticator, streams }: ChangesCall,
    { cursor, limit, wait }: ChangesQuery,
    openFormat: OpenFormat<Row>,
  ): Promise<Buffer | StreamableFile> {
    void reply.header('vary', 'Accept');
    if (preferredMediaType(request, MEDIA_TYPES) === 'application/x-ndjson') {
      streams.holdUntilClosed(organizationId, reply.raw);
      const lines = await this.lines(organizationId, cursor, openFormat, request.time.signal);
      return new StreamableFile(Readable.from(lines, { objectMode: false }), {
        type: 'application/x-ndjson',
      });
    }
    const { time } = request;
    const page: PageRequest = {
      cursor,
      limit,
      waitMs: wait * 1_000,
      signal: time.signal,
      whileWaiting: (wait) => time.pausedFor(wait),
      confirmAccess: () => authenticator.confirmAccess(request),
    };
    void reply.type(JSON_TYPE);
    return this.page(organizationId, page, openFormat);
  }

  /** Digests of one snapshot, with the cursor at which an equal copy continues. */
  async digests<Digests extends { readonly change: number }>(
    organizationId: string,
    read: () => Promise<Digests>,
  ): Promise<Digests & { readonly cursor: string }> {
    const cursorAt = await this.feed.cursorsOf(organizationId);
    const digests = await read();
    return { ...digests, cursor: cursorAt(digests.change) };
  }

  /** In a turn: at once, or after what the page waits for. */
  async page(organizationId: string, request: PageRequest, openFormat: OpenFormat<Row>): Promise<Buffer> {
    const { signal, waitMs = 0, whileWaiting = (wait) => wait() } = request;
    let leave: (() => void) | undefined;
    const takeTurn = async () => {
      leave = await this.turns.enter(organizationId, signal);
    };
    try {
      if (waitMs === 0) await takeTurn();
      const page = await this.feed.page(organizationId, {
        ...request,
        whileWaiting: (wait) => whileWaiting(() => wait().then(takeTurn)),
      });
      return await this.write(page, await openFormat(), signal);
    } finally {
      leave?.();
    }
  }

  private async write(
    page: ChangePage<Row>,
    format: ChangeFormat<Row>,
    stop: AbortSignal | undefined,
  ): Promise<Buffer> {
    await yieldToEventLoop();
    stop?.throwIfAborted();
    const texts = (await format.items(page.items, stop)).map((text) => Buffer.from(text));
    let bytes = 0;
    const tooMany = texts.findIndex(({ length }, place) => (bytes += length) > PAGE_BYTES && place > 0);
    const count = tooMany < 0 ? texts.length : tooMany;
    const last = page.items[count - 1];
    const { change, ...reached } =
      count < texts.length
        ? { change: last!.change, nextCursor: page.cursorAt(last!.change), hasMore: true }
        : page;
    return pageJson(texts.slice(0, count), { change, ...format.end(reached) });
  }

  private async lines(
    organizationId: string,
    cursor: string | undefined,
    openFormat: OpenFormat<Row>,
    stop: AbortSignal,
  ): Promise<AsyncIterable<string>> {
    const pages = await this.feed.stream(organizationId, cursor, stop);
    const format = await openFormat();
    return (async function* () {
      let end = {};
      for await (const { items, change, nextCursor, cursorAt } of pages) {
        await yieldToEventLoop(STREAM_PAUSE);
        const texts = await format.items(items, stop);
        let lines = '';
        for await (const [place, text] of withPauses(texts.entries(), STREAM_PAUSE))
          lines += lineWithCursor(text, cursorAt(items[place]!.change));
        yield lines;
        end = { change, cursor: nextCursor };
      }
      yield `${JSON.stringify({ op: 'end', ...end })}\n`;
    })();
  }
}

/** @param json of an object, which gets the cursor */
export function lineWithCursor(json: string, cursor: string): string {
  return `${withMember(json, 'cursor', `"${cursor}"`).join('')}\n`;
}
