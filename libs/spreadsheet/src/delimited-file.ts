import { pipeline, Readable, type Transform } from 'node:stream';
import { format } from 'fast-csv';
import { encodeStream } from 'iconv-lite';
import { cellText, type Cell, type Rows } from './cell';
import { guardFormula } from './formula-guard';

export interface DelimitedFileOptions {
  /** An IANA name or an offset such as `+07:00`. */
  readonly timeZone: string;
  /** Whether texts that a spreadsheet would run as formulas are guarded. */
  readonly guardFormulas: boolean;
}

/** Tab-separated UTF-16LE with a byte order mark; quoted where needed, lines end with CRLF. */
export function tsvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, '\t', encodeStream('utf16le', { addBOM: true }), options);
}

/** RFC 4180: comma-separated UTF-8 without a byte order mark. */
export function csvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, ',', encodeStream('utf8'), options);
}

/** Reads rows as fast as the file is read. If the file is destroyed, `rows` ends. */
function delimitedFile(
  rows: Rows,
  delimiter: string,
  encoder: NodeJS.ReadWriteStream,
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
  return pipeline(Readable.from(rows), lines.setEncoding('utf8'), encoder as Transform, () => undefined);
}
