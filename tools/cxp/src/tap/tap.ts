import { CursorExpiredError, type CxpClient } from '@cxp/client';
import type { ParquetType } from '@cxp/spreadsheet';
import { FILE_COLUMNS } from '../follow/file-columns';
import type { FollowedArea, FollowedChange } from '../follow/followed-area';

/** Of an area whose key has several members, some of which may be null: a target needs one that is not. */
const WHOLE_KEY = '_key';
const DELETED_AT = '_sdc_deleted_at';

interface Metadata {
  readonly breadcrumb: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A stream as a catalog has it: https://hub.meltano.com/singer/spec#catalog-files */
export interface CatalogStream {
  readonly tap_stream_id: string;
  readonly stream: string;
  readonly key_properties: readonly string[];
  readonly schema: { readonly type: 'object'; readonly properties: Readonly<Record<string, object>> };
  readonly metadata: readonly Metadata[];
}

const TYPES: Readonly<Record<ParquetType, object>> = {
  boolean: { type: ['null', 'boolean'] },
  double: { type: ['null', 'number'] },
  int32: { type: ['null', 'integer'] },
  int64: { type: ['null', 'integer'] },
  json: { type: ['null', 'object'] },
  text: { type: ['null', 'string'] },
  time: { type: ['null', 'string'], format: 'date-time' },
};

/** The rows of an area as a stream: any of its fields may be chosen, but the key and the time of a removal are always there. */
export function streamOf(area: FollowedArea): CatalogStream {
  const key = keyPropertyOf(area);
  const properties = {
    [key]: { type: ['string'] },
    ...Object.fromEntries(
      FILE_COLUMNS[area.name].filter(({ name }) => name !== key).map(({ name, type }) => [name, TYPES[type]]),
    ),
    [DELETED_AT]: TYPES.time,
  };
  const ofStream = {
    ...{ inclusion: 'available', 'selected-by-default': true },
    ...{ 'table-key-properties': [key], 'forced-replication-method': 'LOG_BASED' },
  };
  return {
    tap_stream_id: area.table,
    stream: area.table,
    key_properties: [key],
    schema: { type: 'object', properties },
    metadata: [
      { breadcrumb: [], metadata: ofStream },
      ...Object.keys(properties).map((name) => ({
        breadcrumb: ['properties', name],
        metadata: [key, DELETED_AT].includes(name)
          ? { inclusion: 'automatic' }
          : { inclusion: 'available', 'selected-by-default': true },
      })),
    ],
  };
}

/** The names of the properties that a catalog chooses, or undefined if it does not choose the stream. */
export function chosenProperties(
  { schema, ...stream }: CatalogStream,
  catalog: Pick<CatalogStream, 'metadata'> | undefined,
): readonly string[] | undefined {
  const isChosen = (breadcrumb: readonly string[]) => {
    const find = ({ metadata }: Pick<CatalogStream, 'metadata'>) =>
      metadata.find((one) => one.breadcrumb.join() === breadcrumb.join())?.metadata;
    const { selected, 'selected-by-default': byDefault } = (catalog ? find(catalog) : find(stream)) ?? {};
    return find(stream)!.inclusion === 'automatic' || Boolean(selected ?? byDefault);
  };
  if (!isChosen([])) return undefined;
  return Object.keys(schema.properties).filter((name) => isChosen(['properties', name]));
}

/** The fields of a change. A removal has only those of the key. */
export function recordOf(area: FollowedArea, change: FollowedChange, now: Date): Record<string, unknown> {
  const { key, row } = change;
  const own = area.keyColumns.length > 1 ? { [WHOLE_KEY]: JSON.stringify(Object.values(key)) } : {};
  if (change.op === 'delete') return { ...own, ...key, [DELETED_AT]: now.toISOString() };
  const { extraColumn } = area;
  return { ...own, ...row, [extraColumn.member]: extraColumn.valueOf(change), [DELETED_AT]: null };
}

function keyPropertyOf({ keyColumns }: FollowedArea): string {
  return keyColumns.length > 1 ? WHOLE_KEY : keyColumns[0]!.member;
}

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
        'the state has expired: all rows are read again, and rows that are gone since then are not reported',
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
