import { createReadStream, existsSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Command, Option } from 'commander';
import type { InvalidItem } from '@cxp/error-envelopes';
import type { RecordLine } from '@cxp/records';
import { services } from '@cxp/areas/services';
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
      // Loaded here: they bring the code of all apps.
      const { databases, recordAreasOf } = await import('@cxp/areas/wiring');
      const { importRecords } = await import('@cxp/cxp/import-records');
      const area = recordAreasOf(process.env).find(({ name }) => name === options.area)!;
      const rejected = new RejectedLines(file);
      try {
        const accepted = await withDatabase(async (dataSource) => {
          await requireOrganization(dataSource, options.organization);
          const input: AsyncIterable<Buffer> = file === '-' ? process.stdin : createReadStream(file);
          return importRecords(dataSource, area, options.organization, input, rejected);
        }, databases);
        await rejected.removeEarlier();
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

/** Keeps the lines that were refused, with the reasons, in `<name>.rejected.ndjson`; the first replaces what an earlier import kept there. */
export class RejectedLines {
  count = 0;
  private handle: FileHandle | undefined;
  private readonly path: string;

  constructor(source: string) {
    this.path = `${source === '-' ? 'stdin' : source.replace(/\.ndjson$/, '')}.rejected.ndjson`;
  }

  /** To be called when the import is complete. */
  async removeEarlier(): Promise<void> {
    if (this.count === 0 && (await isOfAnImport(this.path))) rmSync(this.path, { force: true });
  }

  get file(): string | null {
    return this.count > 0 ? this.path : null;
  }

  /** @throws CommandError if the line can not be kept */
  async add({ number, bytes }: RecordLine, reasons: readonly InvalidItem[]): Promise<void> {
    const entry = { line: number, reasons, record: bytes?.toString('utf8') ?? null };
    try {
      this.handle ??= await this.begin();
      await this.handle.appendFile(`${JSON.stringify(entry)}\n`);
    } catch (error) {
      throw new CommandError(
        `line ${number} was refused, and ${this.path} can not be written (${(error as Error).message}): import the file again where it can`,
      );
    }
    this.count += 1;
  }

  private async begin(): Promise<FileHandle> {
    if (!(await isOfAnImport(this.path))) throw new Error('it is no list of rejected lines');
    // They hold personal data.
    const handle = await open(this.path, 'w', 0o600);
    await handle.chmod(0o600);
    return handle;
  }

  async close(): Promise<void> {
    await this.handle?.close();
  }
}

/** Whether there is no file, or one that an import began. */
async function isOfAnImport(path: string): Promise<boolean> {
  if (!existsSync(path)) return true;
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64));
    return bytesRead === 0 || /^\{"line":\d+,"reasons":\[/.test(buffer.toString());
  } finally {
    await file.close();
  }
}
