import { rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import type { InvalidItem } from '@cxp/error-envelopes';
import type { RecordLine } from '@cxp/record-intake';
import { CommandError } from './environment';

/** Keeps the lines that were refused, with the reasons, in `<name>.rejected.ndjson`; the first replaces the file of an earlier import. */
export class RejectedLines {
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
