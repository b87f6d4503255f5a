import { once } from 'node:events';
import { createWriteStream, rmSync, type WriteStream } from 'node:fs';
import type { InvalidItem } from '@cxp/error-envelopes';
import type { NdjsonLine } from '@cxp/record-intake';

/** Keeps the lines that were refused, with the reasons, in `<name>.rejected.ndjson`; the file appears with the first. */
export class RejectedLines {
  count = 0;
  private stream: WriteStream | undefined;
  private readonly path: string;

  constructor(source: string) {
    this.path = `${source === '-' ? 'stdin' : source.replace(/\.ndjson$/, '')}.rejected.ndjson`;
    // What an earlier import refused says nothing about this one.
    rmSync(this.path, { force: true });
  }

  get file(): string | null {
    return this.count > 0 ? this.path : null;
  }

  async add({ number, bytes }: NdjsonLine, reasons: readonly InvalidItem[]): Promise<void> {
    this.count += 1;
    this.stream ??= createWriteStream(this.path);
    const entry = { line: number, reasons, record: bytes?.toString('utf8') ?? null };
    if (!this.stream.write(`${JSON.stringify(entry)}\n`)) await once(this.stream, 'drain');
  }

  async close(): Promise<void> {
    if (!this.stream) return;
    this.stream.end();
    await once(this.stream, 'close');
  }
}
