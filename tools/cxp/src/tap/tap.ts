import { CursorExpiredError, type CxpClient } from '@cxp/client';
import type { FollowedArea } from '../follow/followed-area';
import { type CatalogStream, chosenProperties, recordOf, streamOf } from './singer-streams';

/** After so many lines of the feed the state is written. */
const LINES_OF_A_STATE = 500;

interface Bookmark {
  /** Where the changes go on; without it from the beginning. */
  cursor?: string;
  /** After a resync all rows are read once more: where that reading goes on, and '' at its beginning. */
  again?: string;
}

export interface SingerState {
  readonly bookmarks?: Readonly<Record<string, Bookmark>>;
}

export interface Catalog {
  readonly streams: readonly CatalogStream[];
}

export interface TapOptions {
  readonly client: CxpClient;
  readonly areas: readonly FollowedArea[];
  readonly state: SingerState;
  /** Without it all streams are read. */
  readonly catalog?: Catalog;
  /** Writes a message for the target; resolves when more may follow. */
  readonly write: (message: object) => Promise<void>;
  /** What happens, in a line each. */
  readonly report: (line: string) => void;
}

export function discover(areas: readonly FollowedArea[]): Catalog {
  return { streams: areas.map(streamOf) };
}

/** Writes what has changed since `state` as messages of Singer, up to the end of the feeds. @throws what the client throws */
export async function tap(options: TapOptions): Promise<void> {
  const bookmarks: Record<string, Bookmark> = structuredClone(options.state.bookmarks ?? {});
  for (const area of options.areas) {
    const stream = streamOf(area);
    const { catalog } = options;
    const entry = catalog?.streams.find(({ tap_stream_id }) => tap_stream_id === stream.tap_stream_id);
    const chosen = catalog && !entry ? undefined : chosenProperties(stream, entry);
    if (!chosen) continue;
    bookmarks[area.table] ??= {};
    await new StreamTap(options, area, stream, chosen, bookmarks).run();
  }
}

class StreamTap {
  private readonly bookmark: Bookmark;
  private readonly chosen: ReadonlySet<string>;

  constructor(
    private readonly options: TapOptions,
    private readonly area: FollowedArea,
    private readonly stream: CatalogStream,
    chosen: readonly string[],
    private readonly bookmarks: Readonly<Record<string, Bookmark>>,
  ) {
    this.bookmark = bookmarks[area.table]!;
    this.chosen = new Set(chosen);
  }

  async run(): Promise<void> {
    const { stream, key_properties, schema } = this.stream;
    const properties = this.chosenOf(schema.properties);
    await this.options.write({ type: 'SCHEMA', stream, key_properties, schema: { ...schema, properties } });
    await this.read('cursor');
    while (this.bookmark.again !== undefined) {
      await this.read('again');
      delete this.bookmark.again;
      // What was removed meanwhile is no part of the reading from the beginning.
      await this.read('cursor');
    }
  }

  private async read(position: keyof Bookmark): Promise<void> {
    const { client, report } = this.options;
    let lines = 0;
    try {
      const feed = this.area.lines(client, { once: true, cursor: this.bookmark[position] || undefined });
      for await (const line of feed) {
        if (line.op !== 'resync') {
          const record = this.chosenOf(recordOf(this.area, line, new Date()));
          await this.options.write({ type: 'RECORD', stream: this.stream.stream, record });
        } else if (position === 'cursor') {
          report(`all rows are read again: ${line.reason}`);
          this.bookmark.again = '';
        }
        this.bookmark[position] = line.cursor;
        if (++lines % LINES_OF_A_STATE === 0) await this.writeState();
      }
    } catch (error) {
      if (!(error instanceof CursorExpiredError) || !this.bookmark[position]) throw error;
      report(
        'the state has expired: all rows are read again, and rows that are gone since then are not told',
      );
      // The other position is no newer.
      delete this.bookmark.cursor;
      delete this.bookmark.again;
      return this.read('cursor');
    }
    await this.writeState();
  }

  private async writeState(): Promise<void> {
    await this.options.write({ type: 'STATE', value: { bookmarks: this.bookmarks } });
  }

  private chosenOf<Value>(fields: Readonly<Record<string, Value>>): Record<string, Value> {
    return Object.fromEntries(Object.entries(fields).filter(([name]) => this.chosen.has(name)));
  }
}
