import type { EntityManager } from 'typeorm';
import type { PlatformRecord, RecordTypes, RemovalOf, UpsertOf } from '../schemas/record-type';

/** A record and the number of its line, from 1: what a problem's `loc` names. */
export type OnLine<Record> = Record & { readonly line: number };

export type ReceivedRecord = OnLine<PlatformRecord>;

export interface RecordArea<Record extends PlatformRecord = PlatformRecord> {
  readonly name: string;
  readonly types: RecordTypes;
  /**
   * Stores all records of one transaction, at most `MAX_RECORDS`, in the order of their arrival: upserts and removals by their natural keys. A
   * removal of what is not stored is accepted. If PostgreSQL refuses them, it is called again with parts of them, to find which ones are at fault.
   * @throws ProblemError 422 with what is wrong with records that only the stored data can judge; the transaction is rolled back
   */
  store(manager: EntityManager, organizationId: string, records: readonly OnLine<Record>[]): Promise<void>;
}

/** Upserts, or removals, that arrived one after the other. */
export type RecordRun<Record extends PlatformRecord> =
  | { readonly op: 'upsert'; readonly records: readonly OnLine<UpsertOf<Record>>[] }
  | { readonly op: 'delete'; readonly records: readonly OnLine<RemovalOf<Record>>[] };

/** Records in the order of their arrival, as runs of upserts and of removals. */
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
