import { Readable } from 'node:stream';
import { CSV_COLUMNS } from './csv-columns';

/** What B1 can send by `Accept`; the first is the contract's. */
export const SESSION_MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;

/** Some rows as JSON objects, as many as are read at once. */
type Rows = readonly string[];

/** Rows as NDJSON: a JSON object a line. */
export function ndjsonStream(stretches: AsyncIterable<Rows>): Readable {
  return Readable.from(ndjson(stretches));
}

/** Rows as CSV in UTF-8: a header, then a line each; null is an empty cell, custom fields are JSON. */
export function csvStream(stretches: AsyncIterable<Rows>): Readable {
  return Readable.from(csv(stretches));
}

async function* ndjson(stretches: AsyncIterable<Rows>): AsyncGenerator<string> {
  for await (const rows of stretches) yield rows.map((row) => `${row}\n`).join('');
}

async function* csv(stretches: AsyncIterable<Rows>): AsyncGenerator<string> {
  yield line(CSV_COLUMNS);
  for await (const rows of stretches) yield rows.map(csvLine).join('');
}

function csvLine(row: string): string {
  const fields = JSON.parse(row) as Record<string, string | number | object | null>;
  return line(CSV_COLUMNS.map((column) => cell(fields[column])));
}

function cell(value: string | number | object | null | undefined): string {
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
