import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '@cxp/storage';
import { databases } from '@cxp/areas/wiring';
import { startPostgres, workspaceRoot } from '@cxp/testing/local-servers';

const HEADING = '-- The schema as its migrations make it. Written by `npm run openapi`.\n';

/** Where the text of each schema is committed. */
const PATHS: Readonly<Record<string, string>> = {
  access: 'libs/auth-headers/src/access/schema.sql',
  webchat: 'apps/webchat-gateway/src/database/schema.sql',
  contact_center: 'apps/contact-center-export/src/database/schema.sql',
  survey: 'apps/survey-api/src/database/schema.sql',
};

/** Calls `write` with the texts of a new database, unless nothing has changed beside the committed ones since it did so here. */
export async function renewSchemaTexts(write: (files: Record<string, string>) => void): Promise<void> {
  if (existsSync(marker())) return;
  const server = await startPostgres();
  try {
    for (const area of databases) await migrate(area, server.url);
    write(await schemaTexts(server.url));
  } finally {
    await server.stop();
  }
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(marker(), '');
}

const CACHE = join(workspaceRoot, 'node_modules/.cache/cxp');

/** A file that exists if the texts were written from what is there. */
function marker(): string {
  const directories = ['tools/openapi/src', ...Object.values(PATHS).map((path) => dirname(path))];
  const files = directories.flatMap((directory) =>
    readdirSync(join(workspaceRoot, directory)).map((name) => join(workspaceRoot, directory, name)),
  );
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(file));
  return join(CACHE, `schema-${hash.digest('hex')}`);
}

/** @returns what a migrated database has, by path */
export async function schemaTexts(databaseUrl: string): Promise<Record<string, string>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Names of other schemas are written in full.
    await client.query('SET search_path = pg_catalog, public');
    const texts: Record<string, string> = {};
    for (const { schema } of databases) texts[PATHS[schema]!] = await schemaText(client, schema);
    return texts;
  } finally {
    await client.end();
  }
}

async function schemaText(client: Client, schema: string): Promise<string> {
  const { rows } = await client.query<{ text: string }>(OBJECTS, [schema]);
  return [HEADING, ...rows.map(({ text }) => `${text}\n`)].join('\n');
}

/** SQL: lines of a comment, or nothing. */
const comment = (text: string, indent = '') => `coalesce('${indent}-- ' || ${text} || E'\\n', '')`;

/** The tables and functions of a schema in the order in which they were made. TypeORM's list of migrations is none of its own. */
const OBJECTS = `
  WITH line AS (
    SELECT attrelid AS table_id, attnum::int AS place, ${comment('col_description(attrelid, attnum)', '  ')}
      || '  ' || quote_ident(attname) || ' ' || format_type(atttypid, atttypmod)
      || CASE WHEN attcollation <> typcollation THEN (SELECT ' COLLATE ' || quote_ident(collname) FROM pg_collation WHERE oid = attcollation) ELSE '' END
      || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END
      || CASE attidentity WHEN 'a' THEN ' GENERATED ALWAYS AS IDENTITY' ELSE '' END
      || CASE WHEN adbin IS NULL THEN '' ELSE format(CASE attgenerated WHEN 's' THEN ' GENERATED ALWAYS AS (%s) STORED' ELSE ' DEFAULT %s' END,
        pg_get_expr(adbin, adrelid)) END AS text
    FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attnum > 0 AND NOT attisdropped
    UNION ALL
    SELECT conrelid, 10000 + row_number() OVER (PARTITION BY conrelid ORDER BY contype <> 'p', conname)::int,
      ${comment("obj_description(oid, 'pg_constraint')", '  ')} || '  CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid)
    FROM pg_constraint WHERE conrelid <> 0 AND contype <> 'n'
  )
  SELECT oid, ${comment("obj_description(oid, 'pg_class')")} || 'CREATE TABLE ' || oid::regclass || E' (\\n'
    || (SELECT string_agg(text, E',\\n' ORDER BY place) FROM line WHERE table_id = pg_class.oid)
    || E'\\n)' || coalesce(' WITH (' || array_to_string(reloptions, ', ') || ')', '') || ';'
    || coalesce((
      SELECT string_agg(E'\\n' || ${comment("obj_description(indexrelid, 'pg_class')")} || pg_get_indexdef(indexrelid) || ';', '' ORDER BY indexrelid)
      FROM pg_index WHERE indrelid = pg_class.oid AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
    ), '') AS text
  FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> 'migration'
  UNION ALL
  SELECT oid, ${comment("obj_description(oid, 'pg_proc')")} || rtrim(pg_get_functiondef(oid), E'\\n') || ';'
  FROM pg_proc WHERE pronamespace = $1::regnamespace
  ORDER BY oid`;
