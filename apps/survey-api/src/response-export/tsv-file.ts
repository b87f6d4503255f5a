import { pipeline, Readable, type Transform } from 'node:stream';
import { format } from 'fast-csv';
import { encodeStream } from 'iconv-lite';
import type { Cell } from './cell';
import { guardFormula } from './formula-guard';

export interface TsvFileOptions {
  /** Whether cells that a spreadsheet would run as a formula are defused. */
  readonly guardFormulas: boolean;
}

/**
 * The export's file: tab-separated, UTF-16LE after its byte order mark, quoted where needed, each line ended by CRLF.
 * Rows are taken as fast as the bytes are read; destroying the file ends `rows`.
 */
export function tsvFile(rows: AsyncIterable<readonly Cell[]>, { guardFormulas }: TsvFileOptions): Readable {
  const lines = format({
    delimiter: '\t',
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
    transform: guardFormulas ? guardRow : undefined,
  });
  const file = encodeStream('utf16le', { addBOM: true }) as Transform;
  // Whoever reads the file learns of a failure from the file itself.
  return pipeline(Readable.from(rows), lines.setEncoding('utf8'), file, () => undefined);
}

function guardRow(row: Cell[]): Cell[] {
  return row.map((cell) => (typeof cell === 'string' ? guardFormula(cell) : cell));
}
