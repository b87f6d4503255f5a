import { createReadStream, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { DataSource } from 'typeorm';
import type { InvalidItem } from '@cxp/error-envelopes';
import {
  linesOfStream,
  type ReceivedRecord,
  type RecordArea,
  type RecordLine,
  RecordParser,
  storeSoundRecords,
} from '@cxp/records';
import { databases, recordAreasOf } from '@cxp/system-tests/areas';
import { services } from '@cxp/system-tests/services';
import { requireOrganization, withDatabase } from './database';
import { CommandError, organizationOption, printResult } from './environment';

interface ImportOptions {
  readonly area: string;
  readonly organization: string;
  readonly json?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .description('load platform records; bad lines go to <name>.rejected.ndjson and the rest is loaded')
    .argument('<file>', 'NDJSON, or - for standard input')
    .addOption(
      new Option('--area <area>', 'where the records belong')
        .choices(services.map(({ area }) => area))
        .makeOptionMandatory(),
    )
    .addOption(organizationOption('the organization whose records they are'))
    .option('--json', 'print one JSON object')
    .action(async (file: string, options: ImportOptions) => {
      const area = recordAreasOf(process.env).find(({ name }) => name === options.area)!;
      const rejected = new RejectedLines(file);
      try {
        const accepted = await withDatabase(async (dataSource) => {
          await requireOrganization(dataSource, options.organization);
          const input: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
          return importRecords(dataSource, area, options.organization, input, rejected);
        }, databases);
        rejected.removeEarlier();
        const summary = { accepted, rejected: rejected.count, rejectedFile: rejected.file };
        printResult({ json: summary, text: describe(summary) }, options.json);
      } finally {
        await rejected.close();
      }
      if (rejected.count > 0)
        throw new CommandError(
          `${rejected.count} ${rejected.count === 1 ? 'line was' : 'lines were'} rejected: ${rejected.file}`,
        );
    });
}

function describe(summary: { accepted: number; rejected: number; rejectedFile: string | null }): string {
  const rest = summary.rejected > 0 ? `, ${summary.rejected} rejected (${summary.rejectedFile})` : '';
  return `${summary.accepted} ${summary.accepted === 1 ? 'record' : 'records'} loaded${rest}.`;
}

/** Lines of one transaction, and their bytes: what an import that is cut off has to repeat at most. */
const CHUNK = { lines: 5_000, bytes: 16 * 1024 * 1024 };

/**
 * Loads records in chunks, each in a transaction of its own; every record is an upsert, so running it again is safe.
 * @returns how many were loaded
 */
async function importRecords(
  dataSource: DataSource,
  area: RecordArea,
  organizationId: string,
  input: AsyncIterable<Buffer>,
  rejected: RejectedLines,
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

/** Keeps the lines that were refused, with the reasons, in `<name>.rejected.ndjson`; the first replaces the file of an earlier import. */
class RejectedLines {
  count = 0;
  private handle: FileHandle | undefined;
  private readonly path: string;

  constructor(source: string) {
    this.path = `${source === '-' ? 'stdin' : source.replace(/\.ndjson$/, '')}.rejected.ndjson`;
  }

  /** To be called when the import is complete. */
  removeEarlier(): void {
    if (this.count === 0) rmSync(this.path, { force: true });
  }

  get file(): string | null {
    return this.count > 0 ? this.path : null;
  }

  /** @throws CommandError if the line can not be kept */
  async add({ number, bytes }: RecordLine, reasons: readonly InvalidItem[]): Promise<void> {
    const entry = { line: number, reasons, record: bytes?.toString('utf8') ?? null };
    try {
      this.handle ??= await open(this.path, 'w');
      await this.handle.appendFile(`${JSON.stringify(entry)}\n`);
    } catch (error) {
      throw new CommandError(
        `line ${number} was refused, and ${this.path} can not be written (${(error as Error).message}): import the file again where it can`,
      );
    }
    this.count += 1;
  }

  async close(): Promise<void> {
    await this.handle?.close();
  }
}
