import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** How long plain COPY takes to put all rows of an organization in a schema into empty copies of their tables, indexes included. */
export async function copyRowsOf(
  databaseUrl: string,
  schema: string,
  organizationId: string,
): Promise<{ rows: number; seconds: number }> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const directory = await mkdtemp(join(tmpdir(), 'cxp-bench-copy-'));
  let [rows, seconds] = [0, 0];
  const { rows: tables } = await client.query<{ name: string; columns: string }>(
    `SELECT quote_ident($1) || '.' || quote_ident(relname) AS name,
       string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     GROUP BY relname HAVING bool_or(attname = 'organization_id')`,
    [schema],
  );
  for (const { name, columns } of tables) {
    const file = join(directory, 'rows');
    const where = `organization_id = ${client.escapeLiteral(organizationId)}`;
    const selected = `COPY (SELECT ${columns} FROM ${name} WHERE ${where}) TO STDOUT`;
    await copyOut(databaseUrl, selected, createWriteStream(file));
    await client.query(`CREATE TABLE copied (LIKE ${name} INCLUDING ALL)`);
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
