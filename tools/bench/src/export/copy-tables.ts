import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

const TABLES = [
  'conversation',
  'activity',
  'message',
  'ticket',
  'conversation_survey',
  'conversation_session',
  'session_agent',
  'session_count',
];

/** How long plain COPY takes to put an organization's rows into empty copies of their tables, indexes included. */
export async function copyTables(
  databaseUrl: string,
  organizationId: string,
): Promise<{ rows: number; seconds: number }> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const directory = await mkdtemp(join(tmpdir(), 'cxp-bench-copy-'));
  let [rows, seconds] = [0, 0];
  await client.query('CREATE SCHEMA copied');
  for (const table of TABLES) {
    const file = join(directory, table);
    const content = `SELECT * FROM contact_center.${table} WHERE organization_id = '${organizationId}'`;
    await pipeline(client.query(copyTo(`COPY (${content}) TO STDOUT`)), createWriteStream(file));
    await client.query(`CREATE TABLE copied.${table} (LIKE contact_center.${table} INCLUDING ALL)`);
    const copy = client.query(copyFrom(`COPY copied.${table} FROM STDIN`));
    const start = performance.now();
    await pipeline(createReadStream(file), copy);
    seconds += (performance.now() - start) / 1_000;
    rows += copy.rowCount ?? 0;
  }
  await client.query('DROP SCHEMA copied CASCADE');
  await rm(directory, { recursive: true });
  await client.end();
  return { rows, seconds };
}
