import { Readable } from 'node:stream';
import { format } from 'fast-csv';
import { getEncoder } from 'iconv-lite';
import { type Cell, cellText, guardFormula, type Rows } from './cell';

export interface DelimitedFileOptions {
  /** An offset such as `+07:00`. */
  readonly timeZone: string;
  /** See `guardFormula`. */
  readonly guardFormulas: boolean;
}

/** Tab-separated UTF-16LE with a byte order mark and CRLF; quoted where needed. */
export function tsvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, '\t', 'utf-16le', { ...options, hasMark: true });
}

/**
 * RFC 4180: comma-separated UTF-8.
 * @param options.hasMark whether it begins with a byte order mark: without one, spreadsheets read letters beyond ASCII wrong
 */
export function csvFile(rows: Rows, options: DelimitedFileOptions & { readonly hasMark: boolean }): Readable {
  return delimitedFile(rows, ',', 'utf-8', options);
}

/** Characters. Each line would be encoded by itself, and be a chunk of the answer: a tenth of a file's processor time. */
const BLOCK_LENGTH = 16 * 1_024;

/** Reads rows on demand. Destroying the file ends `rows`; an error of `rows` becomes the file's. */
function delimitedFile(
  rows: Rows,
  delimiter: string,
  encoding: 'utf-8' | 'utf-16le',
  { timeZone, guardFormulas, hasMark }: DelimitedFileOptions & { readonly hasMark: boolean },
): Readable {
  const lines = format({
    delimiter,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
    transform: (row: readonly Cell[]) =>
      row.map((cell) =>
        guardFormulas && typeof cell === 'string' ? guardFormula(cell) : cellText(cell, timeZone),
      ),
  });
  // Thrown where the row is written; without a listener it would end the process.
  lines.on('error', () => undefined);
  // The mark comes with the first line, so that nothing is sent if an error precedes it.
  const encoder = getEncoder(encoding, { addBOM: hasMark });
  /** A row is formatted when it is written, into whole lines: no character is cut. In a pipeline each stream would hold rows, which may have 60 kB, and pass all of them on in one turn. */
  async function* encoded(): AsyncGenerator<Buffer> {
    let block = '';
    for await (const row of rows) {
      lines.write(row);
      if (lines.errored) throw lines.errored;
      block += lines.read() ?? '';
      if (block.length < BLOCK_LENGTH) continue;
      yield encoder.write(block);
      block = '';
    }
    lines.end();
    yield encoder.write(block + (lines.read() ?? ''));
  }
  return Readable.from(encoded(), { objectMode: false });
}
