import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { EntityManager } from 'typeorm';
import { nextTurn } from '@cxp/service-kit';

export type CopiedValue = string | number | boolean | null;

/** What is sent at once: PostgreSQL stores it while the next rows are written, and other requests are served. */
const SENT = { rows: 100, characters: 256 * 1024 };

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

async function* linesOf<Row>(
  rows: readonly Row[],
  valuesOf: (row: Row) => readonly CopiedValue[],
): AsyncGenerator<Buffer> {
  let [lines, count] = ['', 0];
  for (const row of rows) {
    lines += `${valuesOf(row).map(copied).join('\t')}\n`;
    count += 1;
    if (count < SENT.rows && lines.length < SENT.characters) continue;
    yield Buffer.from(lines);
    [lines, count] = ['', 0];
    await nextTurn();
  }
  if (count > 0) yield Buffer.from(lines);
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
