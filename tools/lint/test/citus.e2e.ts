import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { databases } from '@cxp/areas/wiring';
import { migrate } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';

const STATEMENTS = readFileSync(join(workspaceRoot, 'docker/citus.sql'), 'utf8');

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createTestDatabase([...databases], migrate);
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.drop();
});

const SCHEMAS = ['webchat', 'contact_center', 'survey'];

/** SQL: tables whose primary key begins with the organization. */
const OF_ORGANIZATIONS = `
  SELECT pg_class.oid, nspname || '.' || relname AS name, attnum, atttypid, attcollation
  FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'organization_id'
  WHERE nspname = $1 AND relkind = 'r' AND EXISTS (
    SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary AND indkey[0] = attnum
  )`;

async function names(sql: string, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(sql, [schema]);
  return rows.map(({ name }) => name);
}

it.each(SCHEMAS)(
  'docker/citus.sql names the tables and functions of %s that are by organization',
  async (schema) => {
    const listed = [...STATEMENTS.matchAll(/^ {2}\('(?<name>[^']+)'/gm)].map(({ groups }) => groups!.name!);
    const functions = `
    SELECT pg_proc.oid::regprocedure::text AS name FROM pg_proc
    WHERE pronamespace = $1::regnamespace AND provolatile <> 'i' AND proargnames[1] = 'organization_id'`;
    const known = [...(await names(OF_ORGANIZATIONS, schema)), ...(await names(functions, schema))];
    expect(listed.filter((name) => name.startsWith(`${schema}.`)).sort()).toEqual(known.sort());
  },
);

it.each(SCHEMAS)('%s has nothing that Citus refuses', async (schema) => {
  const refused = `
    WITH keyed AS (${OF_ORGANIZATIONS})
    SELECT name || ': unique without the organization: ' || indexrelid::regclass AS name
    FROM keyed JOIN pg_index ON indrelid = keyed.oid WHERE indisunique AND NOT attnum = ANY (indkey)
    UNION ALL SELECT name || ': trigger ' || tgname FROM keyed JOIN pg_trigger ON tgrelid = keyed.oid WHERE NOT tgisinternal
    UNION ALL SELECT name || ': another type or collation of organization_id' FROM keyed WHERE (atttypid, attcollation) <> (
      SELECT mode() WITHIN GROUP (ORDER BY atttypid), mode() WITHIN GROUP (ORDER BY attcollation) FROM keyed
    )
    UNION ALL SELECT name || ': ' || conname FROM keyed JOIN pg_constraint ON conrelid = keyed.oid WHERE contype IN ('f', 'x')
    UNION ALL SELECT name || ': identity that is no bigint: ' || attname
    FROM keyed JOIN pg_attribute AS identity ON attrelid = keyed.oid WHERE attidentity <> '' AND identity.atttypid <> 'bigint'::regtype`;
  expect(await names(refused, schema)).toEqual([]);
});
