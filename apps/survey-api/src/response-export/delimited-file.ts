import { pipeline, Readable, type Transform } from 'node:stream';
import { format } from 'fast-csv';
import { encodeStream } from 'iconv-lite';
import type { Cell } from './cell';
import { guardFormula } from './formula-guard';

/** A table, its heading first. */
export type Rows = AsyncIterable<readonly Cell[]>;

export interface DelimitedFileOptions {
  /** Whether cells that a spreadsheet would run as a formula are defused. */
  readonly guardFormulas: boolean;
}

/** The contract's file: tab-separated, UTF-16LE after its byte order mark, quoted where needed, lines ended by CRLF. */
export function tsvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, '\t', encodeStream('utf16le', { addBOM: true }), options);
}

/** For programs: RFC 4180, comma-separated, UTF-8 without a byte order mark. */
export function csvFile(rows: Rows, options: DelimitedFileOptions): Readable {
  return delimitedFile(rows, ',', encodeStream('utf8'), options);
}

/** Rows are taken as fast as the bytes are read; destroying the file ends `rows`. */
function delimitedFile(
  rows: Rows,
  delimiter: string,
  encoder: NodeJS.ReadWriteStream,
  { guardFormulas }: DelimitedFileOptions,
): Readable {
  const lines = format({
    delimiter,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
    transform: guardFormulas ? guardRow : undefined,
  });
  // Whoever reads the file learns of a failure from the file itself.
  return pipeline(Readable.from(rows), lines.setEncoding('utf8'), encoder as Transform, () => undefined);
}

function guardRow(row: Cell[]): Cell[] {
  return row.map((cell) => (typeof cell === 'string' ? guardFormula(cell) : cell));
}
