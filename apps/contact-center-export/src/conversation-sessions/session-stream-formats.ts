import { Readable } from 'node:stream';
import { guardFormula } from '@cxp/spreadsheet';
import { ROW_FIELDS } from '../derivation';

/** The media types that B1 offers; the first is the contract's. */
export const SESSION_MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;

/** Columns of the CSV stream: the fields of a row in the contract's order, then the cursor of the row. */
const CSV_COLUMNS = [...Object.keys(ROW_FIELDS), 'cursor'];

/** Rows as JSON objects, as many as one read returns. */
type Rows = readonly string[];

type Value = string | number | object | null | undefined;

/** Lines as they are, as many at a time as one read returns. */
export function lineStream(reads: AsyncIterable<Buffer>): Readable {
  return Readable.from(reads);
}

/**
 * Rows as CSV in UTF-8: a header, then one line per row; null is an empty cell, custom fields are JSON.
 * @param guardFormulas whether a text that a spreadsheet would run as a formula gets an apostrophe
 */
export function csvStream(reads: AsyncIterable<Rows>, guardFormulas: boolean): Readable {
  return Readable.from(csv(reads, guardFormulas ? guardFormula : (text) => text));
}

async function* csv(reads: AsyncIterable<Rows>, guard: (text: string) => string): AsyncGenerator<string> {
  yield line(CSV_COLUMNS);
  for await (const rows of reads) yield rows.map((row) => csvLine(row, guard)).join('');
}

function csvLine(row: string, guard: (text: string) => string): string {
  const { cursor, ...fields } = JSON.parse(row) as Record<string, Value>;
  // A cursor holds no text of a record, and a changed one would be rejected.
  return line(
    CSV_COLUMNS.map((column) => (column === 'cursor' ? cell(cursor) : guard(cell(fields[column])))),
  );
}

function cell(value: Value): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** https://www.rfc-editor.org/rfc/rfc4180 */
function line(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
