import {
  Controller,
  type DynamicModule,
  HttpCode,
  Inject,
  Injectable,
  Logger,
  Module,
  Post,
  Req,
} from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { type InvalidItem, MAX_PROBLEMS, ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import {
  LARGE_BODY_BYTES,
  OtherBody,
  type ReceivedBody,
  type RequestTime,
  TimeLimit,
} from '@cxp/service-kit';
import {
  DependencyUnavailableError,
  isDependencyUnavailable,
  KeyedLimit,
  WORK_DATA_SOURCE,
  yieldToEventLoop,
} from '@cxp/storage';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { linesOf, RecordParser } from './record-parser';
import type { ReceivedRecord, RecordStore } from '../schemas/record-types';
import { INTAKE_TIMEOUTS, storeRecords } from './store-records';

const RECORD_STORE = Symbol('record store');

export const MAX_RECORDS = 10_000;

export const MAX_BODY_BYTES = 16 * 1024 * 1024;

const count = (value: number) => value.toLocaleString('en');

const SIZE = `${count(MAX_RECORDS)} records and ${MAX_BODY_BYTES / 1_024 ** 2} MiB`;
export const BODY_LIMIT = `an intake must be at most ${SIZE}`;

/**
 * Milliseconds until the intake's transaction begins. Then PostgreSQL's limits hold; a lock or a hanging connection ends an
 * intake within two more seconds.
 */
const INTAKE_MS = 3_000;

const RECEIVE_MS = 15 * 60_000;

/** Received bodies in a process, waiting or being stored. */
const LIMITS = { perOrganization: 8, total: 16 };

/** Large bodies that are parsed and stored at once; others leave memory and connections to other work. */
const LARGE_AT_ONCE = 2;

/** Members and elements of a body; each may take 64 bytes of memory. */
export const MAX_VALUES = 1_000_000;

const VALUES = `${count(MAX_VALUES)} members and elements`;
const VALUES_LIMIT = `an intake must hold at most ${VALUES}`;

/** Of what the document says of a body. */
export const BODY_LIMITS = `${SIZE}, and ${VALUES}`;

/** Milliseconds of parsing between two pauses. */
const PARSING_MS = 5;

/**
 * Stores all records of a body in one transaction, or none. A received intake waits for earlier ones of its organization; only
 * then it is parsed and takes a connection.
 */
@Injectable()
class RecordIntake {
  private readonly parser: RecordParser;
  private readonly limit = new ConcurrencyLimit(LIMITS);
  private readonly intakes = new KeyedLimit({ places: 1, waitMs: INTAKE_TIMEOUTS.organizationLockMs });
  private readonly large = new KeyedLimit({
    places: LARGE_AT_ONCE,
    waitMs: INTAKE_TIMEOUTS.organizationLockMs,
  });

  constructor(
    @InjectDataSource(WORK_DATA_SOURCE) private readonly dataSource: DataSource,
    @Inject(RECORD_STORE) private readonly area: RecordStore,
  ) {
    this.parser = new RecordParser(area);
  }

  /**
   * @param time ends when the transaction begins
   * @returns the number of records
   * @throws ProblemError 422 with the first hundred problems, 413 for too many records or values, 429 for a ninth concurrent
   * intake; nothing is stored
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
      return this.intakes.run(
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

const logger = new Logger('RecordIntake');

/** PostgreSQL errors about the data were already turned into 422; clients retry all others, mistakes of ours, too: those are logged. */
function toUnavailable(error: unknown): never {
  const { code } = (error ?? {}) as { code?: unknown };
  if (!/^[0-9A-Z]{5}$/.test(String(code))) throw error;
  if (!isDependencyUnavailable(error)) logger.error(error);
  throw new DependencyUnavailableError(String(error), { cause: error });
}

/** For the platform only: the ingress does not route `/internal`. */
@ApiExcludeController()
@Controller('internal/records')
class RecordsController {
  constructor(private readonly intake: RecordIntake) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$platform_record:import')
  @OtherBody(MAX_BODY_BYTES, { limit: BODY_LIMIT, receiveMs: RECEIVE_MS })
  @TimeLimit(INTAKE_MS)
  ingest(
    @OrganizationId() organizationId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ accepted: number }> {
    const body = request.body as ReceivedBody;
    return this.intake.ingest(organizationId, body.ofType('application/x-ndjson'), request.time);
  }
}

@Module({})
export class RecordIntakeModule {
  static forRoot(area: RecordStore): DynamicModule {
    return {
      module: RecordIntakeModule,
      controllers: [RecordsController],
      providers: [RecordIntake, { provide: RECORD_STORE, useValue: area }],
    };
  }
}
