import type { DataSource } from 'typeorm';
import type { InvalidItem } from '@cxp/error-envelopes';
import {
  linesOfStream,
  type ReceivedRecord,
  type RecordStore,
  type RecordLine,
  RecordParser,
  storeSoundRecords,
} from '@cxp/records';

/** Lines of one transaction, and their bytes: what an import that is cut off has to repeat at most. */
const CHUNK = { lines: 5_000, bytes: 16 * 1024 * 1024 };

/**
 * Loads records in chunks, each in a transaction of its own; every record is an upsert, so running it again is safe.
 * @returns how many were loaded
 */
export async function importRecords(
  dataSource: DataSource,
  area: RecordStore,
  organizationId: string,
  input: AsyncIterable<Buffer>,
  rejected: { add(line: RecordLine, reasons: readonly InvalidItem[]): Promise<void> },
): Promise<number> {
  const parser = new RecordParser(area);
  let accepted = 0;
  for await (const lines of chunked(linesOfStream(input, parser.maxLineBytes))) {
    const problems = new Map<number, InvalidItem[]>();
    const note = (line: number, items: readonly InvalidItem[]) =>
      problems.set(line, [...(problems.get(line) ?? []), ...items]);

    const records: ReceivedRecord[] = [];
    for (const line of lines) {
      const parsed = parser.parse(line);
      if ('data' in parsed) records.push(parsed);
      else note(line.number, parsed);
    }
    for (const item of await storeSoundRecords(dataSource, area, organizationId, records)) {
      note(Number(item.loc[1]), [item]);
    }

    accepted += lines.length - problems.size;
    for (const line of lines) {
      const reasons = problems.get(line.number);
      if (reasons) await rejected.add(line, reasons);
    }
  }
  return accepted;
}

async function* chunked(lines: AsyncIterable<RecordLine>): AsyncGenerator<RecordLine[]> {
  let chunk: RecordLine[] = [];
  let bytes = 0;
  for await (const line of lines) {
    if (line.bytes?.length === 0) continue;
    chunk.push(line);
    bytes += line.bytes?.length ?? 0;
    if (chunk.length === CHUNK.lines || bytes >= CHUNK.bytes) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
  }
  if (chunk.length > 0) yield chunk;
}
