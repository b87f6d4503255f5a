import { pipeline, Readable } from 'node:stream';
import { format } from 'fast-csv';
import { encodeStream } from 'iconv-lite';
import { type Cell, cellText, guardFormula, type Rows } from './cell';

export interface DelimitedFileOptions {
  /** An IANA name or an offset such as `+07:00`. */
  readonly timeZone: string;
  /** Whether texts that a spreadsheet would run as formulas are guarded. */
  readonly guardFormulas: boolean;
}

/** Tab-separated UTF-16LE with a byte order mark; quoted where needed, lines end with CRLF. */
export function tsvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, '\t', 'utf-16le', options);
}

/** RFC 4180: comma-separated UTF-8 without a byte order mark. */
export function csvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, ',', 'utf-8', options);
}

/** Reads rows as fast as the file is read. If the file is destroyed, `rows` ends; an error of `rows` is one of the file. */
function delimitedFile(
  rows: Rows,
  delimiter: string,
  encoding: 'utf-8' | 'utf-16le',
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
  // The mark comes with the first line: if there is an error before it, nothing has been sent.
  const file = encodeStream(encoding, { addBOM: encoding === 'utf-16le' });
  // iconv takes texts only.
  pipeline(Readable.from(rows), lines.setEncoding('utf8'), file, () => undefined);
  return file as unknown as Readable;
}
