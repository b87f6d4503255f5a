import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MAX_PROBLEMS, ProblemError, type InvalidItem } from '@cxp/error-envelopes';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { Turns } from '@cxp/storage';
import { BodySpool } from './body-spool';
import { ndjsonLines } from './ndjson-lines';
import { RecordParser } from './record-parser';
import type { ReceivedRecord, RecordArea } from './record-area';
import { INTAKE_TIMEOUTS, withRecordWriter, type OrderedRecordWriter } from './store-records';

export const RECORD_AREA = Symbol('record area');

/** Bodies that a process receives or stores at once; each holds a few hundred kilobytes of memory. */
const LIMITS = { perOrganization: 8, total: 64 };

/** Records that are upserted by one round of statements: so many, or, of large ones, so many bytes of lines. */
const CHUNK = { records: 2_000, bytes: 2 * 1024 * 1024 };

/**
 * Stores the records of a body in one transaction: all of them, or, if any line is bad, none. The body is received as a whole
 * before that, then the intake waits for its organization's turn, and only then it asks for a connection.
 */
@Injectable()
export class RecordIntake {
  private readonly parser: RecordParser;
  private readonly limit = new ConcurrencyLimit(LIMITS);
  private readonly turns = new Turns();

  constructor(
    private readonly dataSource: DataSource,
    @Inject(RECORD_AREA) private readonly area: RecordArea,
  ) {
    this.parser = new RecordParser(area);
  }

  /**
   * @returns how many lines held a record
   * @throws ProblemError 422 with the first hundred things that are wrong; nothing is stored. 429 if the organization has
   *   eight intakes under way
   */
  ingest(organizationId: string, body: AsyncIterable<Buffer>): Promise<{ accepted: number }> {
    return this.limit.run(organizationId, async () => {
      const spool = new BodySpool();
      try {
        await this.receive(body, spool);
        return await this.turns.run(organizationId, INTAKE_TIMEOUTS.turnMs, () =>
          this.store(organizationId, spool),
        );
      } finally {
        await spool.remove();
      }
    });
  }

  /**
   * Lines are checked for as long as the body is in memory: most bad bodies are answered at once. The others are checked when
   * they are stored, because checking every line twice would cost more.
   */
  private async receive(body: AsyncIterable<Buffer>, spool: BodySpool): Promise<void> {
    const problems = new Problems();
    for await (const lines of ndjsonLines(spool.keeping(body))) {
      if (!spool.isInMemory && problems.isEmpty) continue;
      for (const line of lines) {
        if (problems.isFull) break;
        const parsed = this.parser.parse(line);
        if (!('data' in parsed)) problems.add(parsed);
      }
      if (problems.isFull) break;
    }
    problems.rejectIfAny();
  }

  private async store(organizationId: string, spool: BodySpool): Promise<{ accepted: number }> {
    const chunks = await prefetched(this.chunksOf(spool.read()));
    return withRecordWriter(
      this.dataSource,
      this.area,
      organizationId,
      (writer) => write(chunks, writer),
      INTAKE_TIMEOUTS,
    );
  }

  private async *chunksOf(body: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
    let chunk: Chunk = { records: [], problems: new Problems() };
    let bytes = 0;
    for await (const lines of ndjsonLines(body)) {
      for (const line of lines) {
        const parsed = this.parser.parse(line);
        if ('data' in parsed) chunk.records.push(parsed);
        else chunk.problems.add(parsed);
        bytes += line.bytes?.length ?? 0;
        const isFull = chunk.records.length >= CHUNK.records || bytes >= CHUNK.bytes;
        if (isFull || chunk.problems.isFull) {
          yield chunk;
          chunk = { records: [], problems: new Problems() };
          bytes = 0;
        }
      }
    }
    yield chunk;
  }
}

/** Lines as they are stored together, and what is wrong with the others between them. */
interface Chunk {
  readonly records: ReceivedRecord[];
  readonly problems: Problems;
}

/** What is wrong with a body, as far as it is read. */
class Problems {
  readonly items: InvalidItem[] = [];

  get isEmpty(): boolean {
    return this.items.length === 0;
  }

  get isFull(): boolean {
    return this.items.length >= MAX_PROBLEMS;
  }

  add(items: Iterable<InvalidItem>): void {
    for (const item of items) this.items.push(item);
  }

  rejectIfAny(): void {
    if (!this.isEmpty) throw new ProblemError({ code: 'invalid', items: this.items });
  }
}

async function write(
  chunks: AsyncIterable<Chunk>,
  writer: OrderedRecordWriter,
): Promise<{ accepted: number }> {
  const problems = new Problems();
  let accepted = 0;
  for await (const chunk of chunks) {
    accepted += chunk.records.length;
    problems.add(chunk.problems.items);
    // After the first bad line nothing will be kept: the rest is only read to list what else is wrong.
    if (problems.isEmpty) problems.add(await writer.write(chunk.records));
    if (problems.isFull) break;
  }
  problems.rejectIfAny();
  return { accepted };
}

/** Has the first item before anybody asks for it, and each other one while the one before is worked on. */
async function prefetched<Item>(items: AsyncGenerator<Item>): Promise<AsyncGenerator<Item>> {
  let next = items.next();
  await next;
  return (async function* () {
    try {
      for (let item = await next; !item.done; item = await next) {
        next = items.next();
        // Whoever asks for it is told.
        next.catch(() => undefined);
        yield item.value;
      }
    } finally {
      void items.return(undefined);
    }
  })();
}
