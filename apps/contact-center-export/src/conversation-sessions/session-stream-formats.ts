import { Readable } from 'node:stream';
import { format } from 'fast-csv';
import { CSV_COLUMNS } from './csv-columns';

/** What B1 can send by `Accept`; the first is the contract's. */
export const SESSION_MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
export type SessionMediaType = (typeof SESSION_MEDIA_TYPES)[number];

/** Rows as NDJSON: a JSON object a line. */
export function ndjsonStream(rows: AsyncIterable<string>): Readable {
  return Readable.from(lines(rows));
}

async function* lines(rows: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const row of rows) yield `${row}\n`;
}

/** Rows as CSV in UTF-8: a header, then a line each; null is an empty cell, custom fields are JSON. */
export function csvStream(rows: AsyncIterable<string>): Readable {
  const csv = format({
    headers: [...CSV_COLUMNS],
    alwaysWriteHeaders: true,
    rowDelimiter: '\r\n',
    includeEndRowDelimiter: true,
  });
  const cells = Readable.from(csvRows(rows));
  cells.on('error', (error) => csv.destroy(error));
  csv.on('close', () => cells.destroy());
  return cells.pipe(csv);
}

async function* csvRows(rows: AsyncIterable<string>): AsyncGenerator<string[]> {
  for await (const row of rows) {
    const fields = JSON.parse(row) as Record<string, string | number | object | null>;
    yield CSV_COLUMNS.map((column) => cell(fields[column]));
  }
}

function cell(value: string | number | object | null | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
