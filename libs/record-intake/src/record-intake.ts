import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { MAX_PROBLEMS, ProblemError, rejectAsInvalid, type InvalidItem } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { nextTurn } from '@cxp/service-kit';
import { Turns, WORK_DATA_SOURCE } from '@cxp/storage';
import { linesOf } from './record-lines';
import { RecordParser } from './record-parser';
import type { ReceivedRecord, RecordArea } from './record-area';
import { INTAKE_TIMEOUTS, storeRecords } from './store-records';

export const RECORD_AREA = Symbol('record area');

/** The most records of one transaction. */
export const MAX_RECORDS = 10_000;

/** The most bytes of a body. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

export const BODY_LIMIT = 'an intake must be at most 10,000 records and 16 MiB';

/** Bodies that a process receives or stores at once. */
const LIMITS = { perOrganization: 8, total: 16 };

/** How long lines are parsed before others are served, in milliseconds. */
const PARSING_MS = 5;

/**
 * Stores the records of a body in one transaction: all of them, or, if any line is bad, none. The body arrives first, then the intake waits
 * for those of its organization before it, and only then it needs a connection.
 */
@Injectable()
export class RecordIntake {
  private readonly parser: RecordParser;
  private readonly limit = new ConcurrencyLimit(LIMITS);
  private readonly turns = new Turns();

  constructor(
    @InjectDataSource(WORK_DATA_SOURCE) private readonly dataSource: DataSource,
    @Inject(RECORD_AREA) private readonly area: RecordArea,
  ) {
    this.parser = new RecordParser(area);
  }

  /**
   * @param receive reads the body, of at most `MAX_BODY_BYTES`
   * @returns how many lines held a record
   * @throws ProblemError 422 with the first hundred things that are wrong; nothing is stored. 413 for too many records. 429 if the
   *   organization has eight intakes under way
   */
  ingest(organizationId: string, receive: () => Promise<Buffer>): Promise<{ accepted: number }> {
    return this.limit.run(organizationId, async () => {
      const records = await this.parse(await receive());
      await this.turns.run(organizationId, INTAKE_TIMEOUTS.turnMs, () =>
        storeRecords(this.dataSource, this.area, organizationId, records, INTAKE_TIMEOUTS),
      );
      return { accepted: records.length };
    });
  }

  private async parse(body: Buffer): Promise<readonly ReceivedRecord[]> {
    const records: ReceivedRecord[] = [];
    const problems: InvalidItem[] = [];
    let found = 0;
    let pausedAt = performance.now();
    for (const line of linesOf(body, this.parser.maxLineBytes)) {
      if (performance.now() - pausedAt > PARSING_MS) {
        await nextTurn();
        pausedAt = performance.now();
      }
      if (line.bytes?.length === 0) continue;
      if (++found > MAX_RECORDS) throw new ProblemError({ code: 'body_too_large', limit: BODY_LIMIT });
      // After the first hundred problems the lines are only counted.
      if (problems.length >= MAX_PROBLEMS) continue;
      const parsed = this.parser.parse(line);
      if ('data' in parsed) records.push(parsed);
      else problems.push(...parsed);
    }
    if (problems.length > 0) rejectAsInvalid(...problems);
    return records;
  }
}
