import type { InvalidItem } from '@cxp/error-envelopes';
import type { Static, TObject } from '@sinclair/typebox';

/** What a record may have as text, in bytes, unless its type has a limit of its own. */
export const MAX_RECORD_BYTES = 64 * 1024;

/** One type of record: its fields, and the field that identifies a record among those of its type. */
export interface RecordType {
  /** The schema of `data`. Its descriptions are part of the OpenAPI document. */
  readonly data: TObject;
  /** The field of `data` that is the natural key; `null`: an organization has one record of the type. */
  readonly key: string | null;
  /** Whether a record with `op: "delete"` removes by the key. */
  readonly removable: boolean;
  /** Whether a removal can have the `reason` that a person's data was erased: its key is then kept as erased. */
  readonly erasable?: boolean;
  /** What a record may have as text, in bytes, if it is more than `MAX_RECORD_BYTES`. */
  readonly maxBytes?: number;
  /** Yields what a schema can't see in `data` that it accepts; a `loc` starts at `data`. */
  readonly problems?: (data: never) => Iterable<InvalidItem>;
}

export type RecordTypes = Readonly<Record<string, RecordType>>;

/** A record as each road in carries it. Without `op` it is an upsert; with `op: "delete"` it removes by its key. */
export type PlatformRecord<Types extends RecordTypes = RecordTypes> = {
  readonly [Type in keyof Types & string]:
    | { readonly type: Type; readonly op?: 'upsert'; readonly data: Static<Types[Type]['data']> }
    | (true extends Types[Type]['removable']
        ? {
            readonly type: Type;
            readonly op: 'delete';
            readonly data: RemovalData<Types[Type]>;
            readonly reason?: 'erased';
          }
        : never);
}[keyof Types & string];

/** The key and, if records of the type have an `updatedAt`, the time from which an upsert counts again. */
type RemovalData<Type extends RecordType> = Pick<
  Static<Type['data']>,
  Type['key'] & keyof Static<Type['data']>
> & { readonly updatedAt?: string | null };

export type UpsertOf<Record extends { op?: string }> = Exclude<Record, { readonly op: 'delete' }>;

export type RemovalOf<Record extends { op?: string }> = Extract<Record, { readonly op: 'delete' }>;

/** @returns the records of one type, in their order */
export function ofType<Record extends { readonly type: string }, Type extends Record['type']>(
  records: readonly Record[],
  wanted: Type,
): Extract<Record, { readonly type: Type }>[] {
  return records.filter(
    (record): record is Extract<Record, { readonly type: Type }> => record.type === wanted,
  );
}

/**
 * What remains of records that are upserted one after the other, each at the place of its key's first arrival. One
 * statement can't touch a row twice, so this is settled before.
 */
export function lastByKey<T>(records: readonly T[], keyOf: (record: T) => string | number): T[] {
  return [...new Map(records.map((record) => [keyOf(record), record])).values()];
}
