import type { SchemaObject } from 'ajv';
import type { EntityManager } from 'typeorm';
import type { InvalidItem } from '@cxp/error-envelopes';

/** One line of NDJSON that holds a record of a known type with sound data. */
export interface PlatformRecord<Data = unknown> {
  /** From 1; what a problem's `loc` names. */
  readonly line: number;
  readonly type: string;
  readonly data: Data;
}

/** Stores records inside one transaction, the only connection it can reach. */
export interface RecordWriter {
  /**
   * Upserts records by their natural keys, in the order they came.
   * @returns what is wrong with records that only the stored data can judge; those are left out
   */
  write(records: readonly PlatformRecord[]): Promise<readonly InvalidItem[]>;
  /** Called once, before the transaction ends. */
  finish?(): Promise<void>;
}

/** The records of one area: what they look like, and how they are stored. */
export interface RecordArea {
  readonly name: string;
  /** JSON Schema of `data` by record type. Formats: `instant`, `date`, `uuid`, `wall-time`. */
  readonly schemas: Readonly<Record<string, SchemaObject>>;
  readonly openWriter: (manager: EntityManager, organizationId: string) => RecordWriter;
}

/** The `loc` of something wrong in a line. */
export function recordLoc(line: number, ...path: readonly (string | number)[]): readonly (string | number)[] {
  return ['body', line, ...path];
}
