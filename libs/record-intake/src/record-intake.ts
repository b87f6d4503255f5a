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

/** An intake that waits longer is answered 503: those before it are large, or something is stuck. */
const PATIENCE = { turnMs: 15_000, lockMs: 1_500 };

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
    // The first chunk is all of most bodies: while their client sends it, no connection and no lock is held.
    const chunks = await readAhead(this.chunksOf(body));
    return withRecordWriter(
      this.dataSource,
      this.area,
      organizationId,
      (writer) => pour(chunks, writer),
      PATIENCE,
    );
  }

  private async *chunksOf(body: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
    let chunk: Chunk = { records: [], wrong: [] };
    for await (const line of ndjsonLines(body)) {
      const parsed = this.parser.parse(line);
      if ('data' in parsed) chunk.records.push(parsed);
      else chunk.wrong.push(...parsed);
      if (chunk.records.length >= CHUNK_RECORDS || chunk.wrong.length >= MOST_ITEMS) {
        yield chunk;
        chunk = { records: [], wrong: [] };
      }
    }
    yield chunk;
  }
}

/** Lines as they are stored together, and what is wrong with the others between them. */
interface Chunk {
  readonly records: PlatformRecord[];
  readonly wrong: InvalidItem[];
}

async function pour(chunks: AsyncIterable<Chunk>, writer: RecordWriter): Promise<{ accepted: number }> {
  const wrong: InvalidItem[] = [];
  let accepted = 0;
  for await (const chunk of chunks) {
    accepted += chunk.records.length;
    wrong.push(...chunk.wrong);
    // After the first bad line nothing will be kept: the rest is only read to say what else is wrong.
    if (wrong.length === 0) wrong.push(...(await writer.write(chunk.records)));
    if (wrong.length >= MOST_ITEMS) break;
  }
  if (wrong.length > 0) throw new ProblemError({ code: 'invalid', items: wrong.slice(0, MOST_ITEMS) });
  return { accepted };
}

/** Has the first item before anybody asks for it, and each other one while the one before is worked on. */
async function readAhead<Item>(items: AsyncGenerator<Item>): Promise<AsyncGenerator<Item>> {
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
