import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { EntityManager } from 'typeorm';

export type CopiedValue = string | number | boolean | null;

/** Rows that are sent at once: PostgreSQL stores them while the next ones are written. */
const SENT_ROWS = 100;

/** Adds rows the fastest way that PostgreSQL has, inside the manager's transaction. */
export async function copyRows<Row>(
  manager: EntityManager,
  table: string,
  columns: readonly string[],
  rows: readonly Row[],
  valuesOf: (row: Row) => readonly CopiedValue[],
): Promise<void> {
  if (rows.length === 0) return;
  const client = (await manager.queryRunner!.connect()) as ClientBase;
  await pipeline(
    Readable.from(linesOf(rows, valuesOf), { objectMode: false }),
    client.query(copyFrom(`COPY ${table} (${columns.join(', ')}) FROM STDIN`)),
  );
}

function* linesOf<Row>(
  rows: readonly Row[],
  valuesOf: (row: Row) => readonly CopiedValue[],
): Generator<Buffer> {
  for (let start = 0; start < rows.length; start += SENT_ROWS) {
    let lines = '';
    for (const row of rows.slice(start, start + SENT_ROWS)) {
      lines += `${valuesOf(row).map(copied).join('\t')}\n`;
    }
    yield Buffer.from(lines);
  }
}

/** https://www.postgresql.org/docs/current/sql-copy.html, "Text Format" */
function copied(value: CopiedValue): string {
  if (value === null) return '\\N';
  if (typeof value !== 'string') return String(value);
  return SPECIAL.test(value) ? value.replaceAll(EACH_SPECIAL, (character) => ESCAPES[character]!) : value;
}

const SPECIAL = /[\\\t\n\r]/;
const EACH_SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };
