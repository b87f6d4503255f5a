import { pipeline, Readable } from 'node:stream';
import { format } from 'fast-csv';
import { type Cell, cellText, guardFormula, type Rows } from './cell';

export interface DelimitedFileOptions {
  /** An IANA name or an offset such as `+07:00`. */
  readonly timeZone: string;
  /** Whether texts that a spreadsheet would run as formulas are guarded. */
  readonly guardFormulas: boolean;
}

/** Tab-separated UTF-16LE with a byte order mark; quoted where needed, lines end with CRLF. */
export function tsvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, '\t', 'utf16le', options);
}

/** RFC 4180: comma-separated UTF-8 without a byte order mark. */
export function csvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, ',', 'utf8', options);
}

/** Reads rows as fast as the file is read. If the file is destroyed, `rows` ends. */
function delimitedFile(
  rows: Rows,
  delimiter: string,
  encoding: 'utf8' | 'utf16le',
  { timeZone, guardFormulas }: DelimitedFileOptions,
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
  // The reader of the file receives the error from the file itself.
  pipeline(Readable.from(rows), lines, () => undefined);
  const file = Readable.from(encoded(lines.setEncoding('utf8'), encoding), { objectMode: false });
  // A file that nobody has read yet has not asked for lines.
  return file.on('close', () => lines.destroy());
}

/**
 * Encodes what has come meanwhile at once: a piece for each line would take as long to send as to make. UTF-16 begins with a byte order
 * mark, which comes with the first line: if there is an error before it, nothing has been sent.
 */
async function* encoded(lines: AsyncIterable<string>, encoding: 'utf8' | 'utf16le'): AsyncGenerator<Buffer> {
  let mark = encoding === 'utf16le' ? '\ufeff' : '';
  for await (const text of lines) {
    yield Buffer.from(mark + text, encoding);
    mark = '';
  }
  if (mark) yield Buffer.from(mark, encoding);
}
