import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** How long plain COPY takes to put rows of tables into empty copies of these tables, indexes included. @param where of all of them */
export async function copyRows(
  databaseUrl: string,
  tables: readonly string[],
  where: string,
): Promise<{ rows: number; seconds: number }> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const directory = await mkdtemp(join(tmpdir(), 'cxp-bench-copy-'));
  let [rows, seconds] = [0, 0];
  for (const table of tables) {
    const file = join(directory, table);
    const { rows: attributes } = await client.query<{ columns: string }>(
      `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
      [table],
    );
    const { columns } = attributes[0]!;
    await copyOut(
      databaseUrl,
      `COPY (SELECT ${columns} FROM ${table} WHERE ${where}) TO STDOUT`,
      createWriteStream(file),
    );
    await client.query(`CREATE TABLE copied (LIKE ${table} INCLUDING ALL)`);
    const copy = client.query(copyFrom(`COPY copied (${columns}) FROM STDIN`));
    const start = performance.now();
    await pipeline(createReadStream(file), copy);
    seconds += (performance.now() - start) / 1_000;
    rows += copy.rowCount ?? 0;
    await client.query('DROP TABLE copied');
  }
  await rm(directory, { recursive: true });
  await client.end();
  return { rows, seconds };
}

/** Writes what a `COPY … TO STDOUT` answers. */
export async function copyOut(databaseUrl: string, statement: string, output: Writable): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await pipeline(client.query(copyTo(statement)), output);
  await client.end();
}

/** How many lines a `COPY … TO STDOUT` answers. */
export async function countCopied(databaseUrl: string, statement: string): Promise<number> {
  const answer = new PassThrough();
  const [lines] = await Promise.all([countLines(answer), copyOut(databaseUrl, statement, answer)]);
  return lines;
}

export async function countLines(chunks: AsyncIterable<Uint8Array>): Promise<number> {
  let lines = 0;
  for await (const chunk of chunks)
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines++;
  return lines;
}

export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
