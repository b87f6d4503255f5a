import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { MAX_PROBLEMS, ProblemError, rejectAsInvalid, type InvalidItem } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { LARGE_BODY_BYTES, type RequestTime } from '@cxp/service-kit';
import {
  DependencyUnavailableError,
  OrganizationLimit,
  WORK_DATA_SOURCE,
  yieldToEventLoop,
} from '@cxp/storage';
import { linesOf } from './record-lines';
import { RecordParser } from './record-parser';
import type { ReceivedRecord, RecordArea } from './record-area';
import { INTAKE_TIMEOUTS, storeRecords } from './store-records';

export const RECORD_AREA = Symbol('record area');

export const MAX_RECORDS = 10_000;

/** The most bytes of a body. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

export const BODY_LIMIT = 'an intake must be at most 10,000 records and 16 MiB';

/**
 * The time of an intake, in milliseconds: until its transaction begins. Then PostgreSQL keeps the time: the largest intakes take longer, and a
 * lock, or a connection that hangs, ends one within two seconds more.
 */
export const INTAKE_MS = 3_000;

/** How long the platform may take to send a body, in milliseconds. */
export const RECEIVE_MS = 15 * 60_000;

/** Intakes whose bodies a process has received: those that wait, and those that it stores. */
const LIMITS = { perOrganization: 8, total: 16 };

/** Large bodies that are parsed and stored at once: the others leave memory and connections to other work. */
const LARGE_AT_ONCE = 2;

/** The most members and elements of a body's records, of which each may take 64 bytes of memory. */
export const MAX_VALUES = 1_000_000;

const VALUES_LIMIT = 'an intake must hold at most 1,000,000 members and elements';

/** How long lines are parsed before others are served, in milliseconds. */
const PARSING_MS = 5;

/**
 * Stores the records of a body in one transaction: all of them, or, if any line is bad, none. The body arrives first, then the intake waits
 * for those of its organization before it, and only then it is parsed and needs a connection.
 */
@Injectable()
export class RecordIntake {
  private readonly parser: RecordParser;
  private readonly limit = new ConcurrencyLimit(LIMITS);
  private readonly turns = new OrganizationLimit({ places: 1, waitMs: INTAKE_TIMEOUTS.organizationLockMs });
  private readonly large = new OrganizationLimit({
    places: LARGE_AT_ONCE,
    waitMs: INTAKE_TIMEOUTS.organizationLockMs,
  });

  constructor(
    @InjectDataSource(WORK_DATA_SOURCE) private readonly dataSource: DataSource,
    @Inject(RECORD_AREA) private readonly area: RecordArea,
  ) {
    this.parser = new RecordParser(area);
  }

  /**
   * @param time of the request; it ends when the transaction begins
   * @returns how many lines held a record
   * @throws ProblemError 422 with the first hundred things that are wrong; nothing is stored. 413 for too many records or values. 429 if the
   *   organization has eight intakes under way
   */
  ingest(organizationId: string, body: Buffer, time: RequestTime): Promise<{ accepted: number }> {
    return this.limit.run(organizationId, () => {
      const store = async () => {
        const records = await this.parse(body, time.signal);
        const timeouts = { ...INTAKE_TIMEOUTS, organizationLockMs: time.leftMs };
        const begin = () => {
          time.signal.throwIfAborted();
          time.stop();
        };
        await storeRecords(this.dataSource, this.area, organizationId, records, timeouts, begin).catch(
          toUnavailable,
        );
        return { accepted: records.length };
      };
      const isLarge = body.length > LARGE_BODY_BYTES;
      return this.turns.run(
        organizationId,
        () => (isLarge ? this.large.run('', store, time.signal) : store()),
        time.signal,
      );
    });
  }

  private async parse(body: Buffer, signal: AbortSignal): Promise<readonly ReceivedRecord[]> {
    const records: ReceivedRecord[] = [];
    const problems: InvalidItem[] = [];
    const all = { values: 0 };
    let found = 0;
    let pausedAt = performance.now();
    for (const line of linesOf(body, this.parser.maxLineBytes)) {
      if (performance.now() - pausedAt > PARSING_MS) {
        await yieldToEventLoop();
        signal.throwIfAborted();
        pausedAt = performance.now();
      }
      if (line.bytes?.length === 0) continue;
      if (++found > MAX_RECORDS) throw new ProblemError({ code: 'body_too_large', limit: BODY_LIMIT });
      // After the first hundred problems the lines are only counted.
      if (problems.length >= MAX_PROBLEMS) continue;
      const parsed = this.parser.parse(line, all);
      if (all.values > MAX_VALUES) throw new ProblemError({ code: 'body_too_large', limit: VALUES_LIMIT });
      if ('data' in parsed) records.push(parsed);
      else problems.push(...parsed);
    }
    if (problems.length > 0) rejectAsInvalid(...problems);
    return records;
  }
}

/** Of PostgreSQL's errors only those are final that blame the data, which are problems by now. */
function toUnavailable(error: unknown): never {
  const { code } = (error ?? {}) as { code?: unknown };
  if (!/^[0-9A-Z]{5}$/.test(String(code))) throw error;
  throw new DependencyUnavailableError(String(error), { cause: error });
}
