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
