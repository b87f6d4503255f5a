import { ConnectionError, CursorExpiredError } from './errors';
import { sleep, type CallOptions, type HttpClient } from './http-client';

/** Milliseconds that lines are gathered after some arrived, so that a follower stays below the feed's limits. */
const GATHER_MS = 60;
/** Between two empty answers, also of a service that does not wait. */
const EMPTY_MS = 1_000;
/** Readings that start over before one of them has reached its end. */
const MAX_STARTS = 5;
const START_DELAY_MS = 250;

/** Rows changed without changes of their own: read the feed from the beginning. */
interface Resync {
  readonly op: 'resync';
  readonly change: number;
  readonly reason: string;
}

/** Why a reading starts over: the first time, after a 410, or the `reason` of a resync. */
export type StartReason = 'first_reading' | 'cursor_expired' | (string & {});

/** Store the changes and the cursor in one transaction. */
export interface ChangeBatch<AnyChange> {
  readonly items: readonly AnyChange[];
  /** Continues after this batch. */
  readonly cursor: string;
  /** A reader that applied the batch holds everything up to this number: compare digests at it. */
  readonly change: number;
  /**
   * Set on the first batch of a reading from the beginning. Older rows of the reader that do not appear until `isCurrent` no
   * longer exist.
   */
  readonly startsOver: StartReason | null;
  /** With this batch the reader holds a state that existed. */
  readonly isCurrent: boolean;
}

export interface LineOptions extends CallOptions {
  /** Default: the beginning. */
  readonly cursor?: string | null;
  /** Ends when nothing more is found, instead of waiting. */
  readonly once?: boolean;
  /** Seconds that one request waits for changes, 0 to 25. Default: 25. */
  readonly waitSeconds?: number;
}

export interface FollowOptions extends LineOptions {
  /** Items of a batch, 1 to 1000. Default: 500. */
  readonly batchSize?: number;
  /**
   * Called after a 410 instead of starting over: compares the copy with the digests, reads the days that differ and returns the
   * digests' cursor; null starts over.
   */
  readonly onExpired?: () => Promise<string | null>;
}

/** Area B's business hours depend on a timezone. */
interface WithTimezone {
  readonly timezone?: string;
}

interface ChangePage<AnyChange> {
  readonly items: readonly (AnyChange | Resync)[];
  readonly change: number;
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** `cursor` continues after the line. */
export type ChangeLine<AnyChange> = (AnyChange | Resync) & {
  readonly change: number;
  readonly cursor: string;
};

/** The last line: the reader holds everything up to `change`. */
interface EndLine {
  readonly op: 'end';
  readonly change: number;
  readonly cursor: string;
}

export class ChangeFeed<AnyChange extends { readonly op: string }> {
  constructor(
    private readonly http: HttpClient,
    private readonly path: string,
  ) {}

  /**
   * Streams everything, then reads pages as changes come; an empty batch says that nothing is new. A batch counts as done when the next one is requested. After an
   * expired cursor or a resync the reading starts over.
   * @throws ApiError; ConnectionError when the retries are used up, or the reading starts over again and again
   */
  async *follow(options: FollowOptions & WithTimezone): AsyncGenerator<ChangeBatch<AnyChange>> {
    let cursor = options.cursor ?? undefined;
    let startsOver: StartReason | null = cursor === undefined ? 'first_reading' : null;
    for (let starts = 0; ;) {
      try {
        let resync: Resync | undefined;
        for await (const read of this.readFrom(cursor, options)) {
          resync ??= read.items.find(isResync);
          // The next reading omits earlier removals, and begins at its own cursor if this one is interrupted.
          if (resync && cursor === undefined) throw new StartOver(resync.reason);
          if (!resync) cursor = read.cursor;
          const items = read.items.filter((item) => !isResync(item)) as AnyChange[];
          if (!resync || items.length > 0) {
            yield { ...read, items, cursor: cursor!, startsOver, isCurrent: read.isCurrent && !resync };
            startsOver = null;
          }
          if (read.isCurrent && !resync) starts = 0;
          if (resync && read.isCurrent) throw new StartOver(resync.reason);
        }
        return;
      } catch (error) {
        if (!(error instanceof StartOver)) throw error;
        if (starts === MAX_STARTS)
          throw new ConnectionError(`${this.path} starts over again and again (${error.reason})`);
        if (starts > 0) await sleep(START_DELAY_MS * 2 ** starts, options.signal);
        starts += 1;
        cursor = (error.reason === 'cursor_expired' && (await options.onExpired?.())) || undefined;
        startsOver = cursor === undefined ? error.reason : null;
      }
    }
  }

  /** @throws StartOver if the cursor has expired */
  private async *readFrom(start: string | undefined, options: FollowOptions & WithTimezone) {
    const { once = false, waitSeconds = 25, batchSize = 500 } = options;
    let cursor = start;
    let items: (AnyChange | Resync)[] = [];
    try {
      for await (const line of this.stream(start, options)) {
        const { cursor: next, ...item } = line;
        cursor = next;
        if (!isEnd(line)) items.push(item as unknown as AnyChange | Resync);
        if (!isEnd(line) && items.length < batchSize) continue;
        yield { items, cursor, change: line.change, isCurrent: isEnd(line) };
        items = [];
      }
      if (once) return;
      for (;;) {
        const page = await this.page({ cursor, limit: batchSize, wait: waitSeconds }, options);
        cursor = page.nextCursor;
        yield { items: page.items, cursor, change: page.change, isCurrent: !page.hasMore };
      }
    } catch (error) {
      // A request without a cursor would get the same error forever.
      if (error instanceof CursorExpiredError && cursor !== undefined) throw new StartOver('cursor_expired');
      throw error;
    }
  }

  /**
   * The service's lines, resyncs included, from the beginning or a cursor; without `once` also later ones.
   * @throws CursorExpiredError, ConnectionError
   */
  async *lines(options: LineOptions & WithTimezone): AsyncGenerator<ChangeLine<AnyChange>> {
    const { once = false, waitSeconds = 25 } = options;
    let { cursor } = options;
    for (;;) {
      for await (const line of this.stream(cursor, options)) {
        if (!isEnd(line)) yield line;
        cursor = line.cursor;
      }
      if (once) return;
      await sleep(GATHER_MS, options.signal);
      // Only shows whether there is something to stream.
      const page = await this.page({ cursor, limit: 1, wait: waitSeconds }, options);
      if (page.items.length === 0) cursor = page.nextCursor;
    }
  }

  private stream(
    cursor: string | null | undefined,
    { timezone, signal }: CallOptions & WithTimezone,
  ): AsyncGenerator<ChangeLine<AnyChange> | EndLine> {
    const request = { path: this.path, query: { timezone, cursor }, signal };
    return this.http.lines<ChangeLine<AnyChange> | EndLine>(request, isEnd);
  }

  /** Area C writes the same names with underscores. */
  private async page(
    query: { readonly cursor: string | null | undefined; readonly limit: number; readonly wait: number },
    { timezone, signal }: CallOptions & WithTimezone,
  ): Promise<ChangePage<AnyChange>> {
    const asked = performance.now();
    const page = await this.http.json<ChangePage<AnyChange> & { next_cursor: string; has_more: boolean }>({
      path: this.path,
      query: { timezone, ...query },
      has: 'items',
      signal,
      waitMs: query.wait * 1_000,
    });
    if (page.items.length === 0) await sleep(Math.max(0, asked + EMPTY_MS - performance.now()), signal);
    return {
      items: page.items,
      change: page.change,
      nextCursor: page.nextCursor ?? page.next_cursor,
      hasMore: page.hasMore ?? page.has_more,
    };
  }
}

class StartOver extends Error {
  constructor(readonly reason: string) {
    super(reason);
  }
}

function isEnd(line: { readonly op: string }): line is EndLine {
  return line.op === 'end';
}

function isResync(item: { readonly op: string }): item is Resync {
  return item.op === 'resync';
}
