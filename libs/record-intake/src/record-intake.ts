import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ProblemError, type InvalidItem } from '@cxp/error-envelopes';
import { ndjsonLines } from './ndjson-lines';
import { RecordParser } from './record-parser';
import type { PlatformRecord, RecordArea, RecordWriter } from './record-area';
import { withRecordWriter } from './store-records';

export const RECORD_AREA = Symbol('record area');

/** Records that are upserted by one round of statements. */
const CHUNK_RECORDS = 2_000;

/** What one answer lists at most. */
const MOST_ITEMS = 100;

/** Takes a stream of records in one transaction: all of them, or, if any line is bad, none. */
@Injectable()
export class RecordIntake {
  private readonly parser: RecordParser;

  constructor(
    private readonly dataSource: DataSource,
    @Inject(RECORD_AREA) private readonly area: RecordArea,
  ) {
    this.parser = new RecordParser(area);
  }

  /**
   * @returns how many lines held a record
   * @throws ProblemError 422 with the first hundred things that are wrong; nothing is stored
   */
  async take(organizationId: string, body: AsyncIterable<Buffer>): Promise<{ accepted: number }> {
    return withRecordWriter(this.dataSource, this.area, organizationId, (writer) => this.pour(body, writer));
  }

  private async pour(body: AsyncIterable<Buffer>, writer: RecordWriter): Promise<{ accepted: number }> {
    const wrong: InvalidItem[] = [];
    let chunk: PlatformRecord[] = [];
    let accepted = 0;

    const flush = async () => {
      accepted += chunk.length;
      // After the first bad line nothing will be kept: the rest is only read to say what else is wrong.
      if (wrong.length === 0) wrong.push(...(await writer.write(chunk)));
      chunk = [];
    };

    for await (const line of ndjsonLines(body)) {
      const parsed = this.parser.parse(line);
      if ('data' in parsed) chunk.push(parsed);
      else wrong.push(...parsed);
      if (chunk.length >= CHUNK_RECORDS) await flush();
      if (wrong.length >= MOST_ITEMS) break;
    }
    await flush();
    if (wrong.length > 0) throw new ProblemError({ code: 'invalid', items: wrong.slice(0, MOST_ITEMS) });
    return { accepted };
  }
}
