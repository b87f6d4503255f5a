import type { InvalidItem } from '@cxp/error-envelopes';
import type { Static, TObject } from '@sinclair/typebox';
import type { EntityManager } from 'typeorm';

/** Bytes of a record's text, unless its type has its own limit. */
export const MAX_RECORD_BYTES = 64 * 1024;

export interface RecordType {
  /** The OpenAPI document shows its descriptions. */
  readonly data: TObject;
  /** The field of `data` that is the natural key; `null`: an organization has one record of the type. */
  readonly key: string | null;
  /** Whether a record with `op: "delete"` removes by the key. */
  readonly removable: boolean;
  /** Whether a removal may have the `reason` that personal data was erased: its key is then kept as erased. */
  readonly erasable?: boolean;
  /** Bytes of text, if more than `MAX_RECORD_BYTES`. */
  readonly maxBytes?: number;
  /** Finds what a schema can't express; `loc` starts at `data`. */
  readonly problems?: (data: never) => Iterable<InvalidItem>;
}

export type RecordTypes = Readonly<Record<string, RecordType>>;

/** An upsert; with `op: "delete"` a removal by key. */
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

/** The key and, for types with `updatedAt`, the time from which an upsert counts again. */
type RemovalData<Type extends RecordType> = Pick<
  Static<Type['data']>,
  Type['key'] & keyof Static<Type['data']>
> & { readonly updatedAt?: string | null };

export type UpsertOf<Record extends { op?: string }> = Exclude<Record, { readonly op: 'delete' }>;

export type RemovalOf<Record extends { op?: string }> = Extract<Record, { readonly op: 'delete' }>;

export function ofType<Record extends { readonly type: string }, Type extends Record['type']>(
  records: readonly Record[],
  wanted: Type,
): Extract<Record, { readonly type: Type }>[] {
  return records.filter(
    (record): record is Extract<Record, { readonly type: Type }> => record.type === wanted,
  );
}

/** Keeps the last record of each key, in the place of the key's first: one statement can't write a row twice. */
export function lastByKey<T>(records: readonly T[], keyOf: (record: T) => string | number): T[] {
  return [...new Map(records.map((record) => [keyOf(record), record])).values()];
}

/** The line number starts at 1 and becomes a problem's `loc`. */
export type OnLine<Record> = Record & { readonly line: number };

export type ReceivedRecord = OnLine<PlatformRecord>;

export interface RecordStore<Record extends PlatformRecord = PlatformRecord> {
  readonly name: string;
  readonly types: RecordTypes;
  /**
   * Stores up to `MAX_RECORDS` upserts and removals in order. A removal of an unknown key is accepted. If PostgreSQL refuses
   * the records, this is called again with parts of them, to find the wrong ones.
   * @throws ProblemError 422 for records that contradict stored data; the transaction is rolled back
   */
  store(manager: EntityManager, organizationId: string, records: readonly OnLine<Record>[]): Promise<void>;
}

export type RecordRun<Record extends PlatformRecord> =
  | { readonly op: 'upsert'; readonly records: readonly OnLine<UpsertOf<Record>>[] }
  | { readonly op: 'delete'; readonly records: readonly OnLine<RemovalOf<Record>>[] };

export function runsOf<Record extends PlatformRecord>(
  records: readonly OnLine<Record>[],
): RecordRun<Record>[] {
  const runs: { op: 'upsert' | 'delete'; records: OnLine<Record>[] }[] = [];
  for (const record of records) {
    const { op = 'upsert' } = record;
    if (runs.at(-1)?.op !== op) runs.push({ op, records: [] });
    runs.at(-1)!.records.push(record);
  }
  return runs as unknown as RecordRun<Record>[];
}

export function recordLoc(line: number, ...path: readonly (string | number)[]): readonly (string | number)[] {
  return ['body', line, ...path];
}
