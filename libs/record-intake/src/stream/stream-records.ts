import type { DataSource } from 'typeorm';
import { isDependencyUnavailable } from '@cxp/storage';
import type { ReceivedRecord, RecordArea } from '../record-area';
import { RecordParser } from '../record-parser';
import { withRecordWriter } from '../store-records';
import type { StreamEntry } from './record-stream';

/** PostgreSQL's codes for statements that don't fit the schema: a migration that has not been run, no fault of a record. */
const UNFIT_SCHEMA = /^(3D|3F|42)/;

/** An entry that can't be stored, now or later. */
export interface RejectedEntry {
  readonly entry: StreamEntry;
  readonly reason: string;
}

/** Stores entries of a stream, each organization's in a transaction of its own and in their order. */
export class StreamRecords {
  private readonly parser: RecordParser;

  constructor(
    private readonly dataSource: DataSource,
    private readonly area: RecordArea,
  ) {
    this.parser = new RecordParser(area);
  }

  /**
   * Every record is an upsert, so storing an entry again changes nothing.
   * @returns the entries that can never be stored; all others are
   * @throws when the database can't be reached, or is not migrated
   */
  async store(entries: readonly StreamEntry[]): Promise<RejectedEntry[]> {
    const rejected: RejectedEntry[] = [];
    const byOrganization = new Map<string, ReceivedRecord[]>();
    entries.forEach((entry, line) => {
      const parsed = this.parser.parse({ number: line, bytes: Buffer.from(entry.record) });
      if (!('data' in parsed)) {
        rejected.push({ entry, reason: parsed.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') });
      } else if (entry.organizationId === '') {
        rejected.push({ entry, reason: 'organization_id is missing' });
      } else {
        const records = byOrganization.get(entry.organizationId) ?? [];
        records.push(parsed);
        byOrganization.set(entry.organizationId, records);
      }
    });
    for (const [organizationId, records] of byOrganization) {
      const refused = await this.storeAll(organizationId, records);
      rejected.push(...refused.map(([line, reason]) => ({ entry: entries[line]!, reason })));
    }
    return rejected;
  }

  /** @returns the places of the records that are refused, with the reasons */
  private async storeAll(
    organizationId: string,
    records: readonly ReceivedRecord[],
  ): Promise<(readonly [line: number, reason: string])[]> {
    try {
      const refused = await withRecordWriter(this.dataSource, this.area, organizationId, (writer) =>
        writer.write(records),
      );
      return refused.map(({ loc, msg }) => [Number(loc[1]), msg] as const);
    } catch (error) {
      if (isDependencyUnavailable(error) || UNFIT_SCHEMA.test(sqlState(error))) throw error;
      if (records.length === 1) return [[records[0]!.line, String(error)]];
      // One record spoils the transaction of all: each in one of its own shows which.
      const refused = [];
      for (const record of records) refused.push(...(await this.storeAll(organizationId, [record])));
      return refused;
    }
  }
}

function sqlState(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
