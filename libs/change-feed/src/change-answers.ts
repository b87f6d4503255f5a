import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '@cxp/auth-headers';
import type { ConcurrencyLimit } from '@cxp/rate-limit';
import { answerInPieces, itemsJson, nextTurn, outsideWork, preferredMediaType } from '@cxp/service-kit';
import type { Change, ChangeFeed, ChangePage, PageRequest, StreamedChange } from './change-feed';
import type { ChangesQuery } from './changes-query.dto';

const MEDIA_TYPES = ['application/json', 'application/x-ndjson'] as const;

type Json = string | Buffer;

/** How an area writes its changes. */
export interface ChangeFormat<Row extends object> {
  /** Of a page: changes as JSON, separated by commas. */
  readonly items: (changes: readonly Change<Row>[]) => Json | Promise<Json>;
  /** Of a stream: changes as JSON, each with its cursor and on a line of its own. */
  readonly lines: (changes: readonly StreamedChange<Row>[]) => Json | Promise<Json>;
  /** The members that follow the items of a page, beside `change`. */
  readonly end: (page: Omit<ChangePage<Row>, 'items' | 'change'>) => object;
}

/** Opened after the first changes are read. */
type OpenFormat<Row extends object> = () => ChangeFormat<Row> | Promise<ChangeFormat<Row>>;

/** What a request for changes has beside its query. */
export interface ChangesCall {
  readonly organizationId: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly authenticator: Authenticator;
  /** Streams at once: they are as long as exports, and their clients as slow. */
  readonly streams: ConcurrencyLimit;
}

/** The answers of the endpoint of a feed. */
export class ChangeAnswers<Row extends object> {
  constructor(private readonly feed: ChangeFeed<Row>) {}

  /**
   * One page or, by `Accept`, all changes after the cursor as a stream of lines.
   * @throws ProblemError 422 if the cursor was not issued for this organization and feed, 410 if it is expired, 429 if the
   *   organization has too many streams
   */
  async changes(
    { organizationId, request, reply, authenticator, streams }: ChangesCall,
    { cursor, limit, wait }: ChangesQuery,
    openFormat: OpenFormat<Row>,
  ): Promise<Json | StreamableFile> {
    void reply.header('vary', 'Accept');
    if (preferredMediaType(request, MEDIA_TYPES) === 'application/x-ndjson') {
      streams.holdUntilClosed(organizationId, reply.raw);
      const lines = await this.lines(organizationId, cursor, openFormat);
      return new StreamableFile(Readable.from(lines, { objectMode: false }), {
        type: 'application/x-ndjson',
      });
    }
    const client = new AbortController();
    reply.raw.once('close', () => client.abort());
    const page: PageRequest = {
      cursor,
      limit,
      waitMs: wait * 1_000,
      signal: client.signal,
      whileWaiting: (waiting) => outsideWork(request, waiting),
      confirmAccess: () => authenticator.confirmAccess(request),
    };
    return answerInPieces(this.page(organizationId, page, openFormat), request, reply);
  }

  /** @returns the answer as JSON, piece by piece */
  async *page(
    organizationId: string,
    request: PageRequest,
    openFormat: OpenFormat<Row>,
  ): AsyncGenerator<Json, void> {
    const pages = await this.feed.page(organizationId, request);
    const format = await openFormat();
    let last: Omit<ChangePage<Row>, 'items'>;
    async function* items() {
      for await (const { items, ...rest } of pages) {
        last = rest;
        yield items;
      }
    }
    yield* itemsJson(items(), format.items, () => ({ change: last.change, ...format.end(last) }));
  }

  private async lines(
    organizationId: string,
    cursor: string | undefined,
    openFormat: OpenFormat<Row>,
  ): Promise<AsyncIterable<Json>> {
    const reads = await this.feed.stream(organizationId, cursor);
    const format = await openFormat();
    return (async function* () {
      let end = {};
      for await (const { items, ...reached } of reads) {
        await nextTurn();
        yield await format.lines(items);
        end = reached;
      }
      yield `${JSON.stringify({ op: 'end', ...end })}\n`;
    })();
  }
}
