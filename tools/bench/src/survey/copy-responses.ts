import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** How many seconds plain COPY takes to put a campaign's responses into an empty copy of their table, indexes included. */
export async function copyResponses(
  databaseUrl: string,
  organizationId: string,
  campaignId: string,
): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const directory = await mkdtemp(join(tmpdir(), 'cxp-bench-copy-'));
  const file = join(directory, 'response');
  const { rows } = await client.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns FROM pg_attribute
     WHERE attrelid = 'survey.response'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
  );
  const columns = rows[0]!.columns;
  const content = `SELECT ${columns} FROM survey.response
    WHERE organization_id = '${organizationId}' AND campaign_id = '${campaignId}'`;
  await pipeline(client.query(copyTo(`COPY (${content}) TO STDOUT`)), createWriteStream(file));
  await client.query('CREATE TABLE copied_response (LIKE survey.response INCLUDING ALL)');
  const copy = client.query(copyFrom(`COPY copied_response (${columns}) FROM STDIN`));
  const start = performance.now();
  await pipeline(createReadStream(file), copy);
  const seconds = (performance.now() - start) / 1_000;
  await client.query('DROP TABLE copied_response');
  await rm(directory, { recursive: true });
  await client.end();
  return seconds;
}
