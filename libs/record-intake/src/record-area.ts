import type { EntityManager } from 'typeorm';
import type { InvalidItem } from '@cxp/error-envelopes';
import type { PlatformRecord, RecordTypes, RemovalOf, UpsertOf } from '@cxp/platform-records';

/** A record and the number of its line, from 1: what a problem's `loc` names. */
export type OnLine<Record> = Record & { readonly line: number };

/** A record that was received. */
export type ReceivedRecord = OnLine<PlatformRecord>;

/** Stores records inside one transaction, the only connection it can reach. */
export interface RecordWriter<Record extends PlatformRecord = PlatformRecord> {
  /**
   * Upserts records by their natural keys, in the order of their arrival.
   * @returns what is wrong with records that only the stored data can judge; those are left out
   */
  write(records: readonly OnLine<UpsertOf<Record>>[]): Promise<readonly InvalidItem[]>;
  /**
   * Removes records by their natural keys, in the order of their arrival. A key that is not stored is accepted.
   * Required if the area has a removable type.
   */
  remove?(records: readonly OnLine<RemovalOf<Record>>[]): Promise<void>;
  /**
   * Called once, before the transaction ends.
   * @throws ProblemError 422 with what is wrong with records that only all of them together show; nothing is stored
   */
  finish?(): Promise<void>;
}

/** The records of one area: what they look like, and how they are stored. */
export interface RecordArea<Record extends PlatformRecord = PlatformRecord> {
  readonly name: string;
  readonly types: RecordTypes;
  readonly openWriter: (manager: EntityManager, organizationId: string) => RecordWriter<Record>;
}

/** An area whose records also come by a stream, or are put aside for another reason. */
export interface StreamedArea<Record extends PlatformRecord = PlatformRecord> extends RecordArea<Record> {
  /** The PostgreSQL schema that has the table of `rejectedRecordTable`, and, of a stream, those of `unstoredRecordTables`. */
  readonly schema: string;
}

/** The `loc` of something wrong in a line. */
export function recordLoc(line: number, ...path: readonly (string | number)[]): readonly (string | number)[] {
  return ['body', line, ...path];
}
