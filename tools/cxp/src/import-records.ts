import type { DataSource } from 'typeorm';
import { ProblemError, type InvalidItem } from '@cxp/error-envelopes';
import {
  ndjsonLines,
  RecordParser,
  withRecordWriter,
  type NdjsonLine,
  type ReceivedRecord,
  type RecordArea,
} from '@cxp/record-intake';
import type { RejectedLines } from './rejected-lines';

/** Lines of one transaction: what an import that is cut off has to repeat at most. */
const CHUNK_LINES = 5_000;

/**
 * Loads records in chunks, each in a transaction of its own; every record is an upsert, so running it again is safe.
 * @returns how many were loaded
 */
export async function importRecords(
  dataSource: DataSource,
  area: RecordArea,
  organizationId: string,
  input: AsyncIterable<Buffer>,
  rejected: RejectedLines,
): Promise<number> {
  const parser = new RecordParser(area);
  let accepted = 0;
  for await (const lines of chunked(ndjsonLines(input), CHUNK_LINES)) {
    const problems = new Map<number, InvalidItem[]>();
    const note = (line: number, items: readonly InvalidItem[]) =>
      problems.set(line, [...(problems.get(line) ?? []), ...items]);

    const records: ReceivedRecord[] = [];
    for (const line of lines) {
      const parsed = parser.parse(line);
      if ('data' in parsed) records.push(parsed);
      else note(line.number, parsed);
    }
    for (const item of await store(dataSource, area, organizationId, records)) note(lineOf(item), [item]);

    accepted += lines.length - problems.size;
    for (const line of lines) {
      const reasons = problems.get(line.number);
      if (reasons) await rejected.add(line, reasons);
    }
  }
  return accepted;
}

/** Stores records in one transaction. @returns what is wrong with those that are left out */
async function store(
  dataSource: DataSource,
  area: RecordArea,
  organizationId: string,
  records: readonly ReceivedRecord[],
): Promise<readonly InvalidItem[]> {
  try {
    return await withRecordWriter(dataSource, area, organizationId, (writer) => writer.write(records));
  } catch (error) {
    if (!(error instanceof ProblemError && error.problem.code === 'invalid')) throw error;
    const { items } = error.problem;
    const wrong = new Set(items.map(lineOf));
    const others = records.filter(({ line }) => !wrong.has(line));
    if (others.length === records.length) throw error;
    return [...items, ...(await store(dataSource, area, organizationId, others))];
  }
}

function lineOf({ loc }: InvalidItem): number {
  return Number(loc[1]);
}

async function* chunked(
  lines: AsyncIterable<readonly NdjsonLine[]>,
  size: number,
): AsyncGenerator<NdjsonLine[]> {
  let chunk: NdjsonLine[] = [];
  for await (const some of lines) {
    for (const line of some) {
      chunk.push(line);
      if (chunk.length === size) {
        yield chunk;
        chunk = [];
      }
    }
  }
  if (chunk.length > 0) yield chunk;
}
