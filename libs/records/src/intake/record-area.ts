import type { EntityManager } from 'typeorm';
import type { PlatformRecord, RecordTypes, RemovalOf, UpsertOf } from '../schemas/record-type';

/** The line number starts at 1 and becomes a problem's `loc`. */
export type OnLine<Record> = Record & { readonly line: number };

export type ReceivedRecord = OnLine<PlatformRecord>;

export interface RecordArea<Record extends PlatformRecord = PlatformRecord> {
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
