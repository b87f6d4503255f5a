import { escapeIdentifier, type QueryResult } from 'pg';

/** A connection, or a pool of them. */
export interface Database {
  query(sql: string, values?: unknown[]): Promise<QueryResult>;
}

/** A table of an area, on a PostgreSQL with Citus or without. */
export interface AreaTable {
  /** With its schema. */
  readonly name: string;
  /** Whether its primary key begins with the organization: an organization's rows are on one shard then. */
  readonly isOfOrganizations: boolean;
  readonly isDistributed: boolean;
}

export async function hasCitus(database: Database): Promise<boolean> {
  const { rowCount } = await database.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
  return rowCount! > 0;
}

export async function tablesOf(database: Database, schema: string): Promise<AreaTable[]> {
  const isDistributed = (await hasCitus(database))
    ? `EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)`
    : 'false';
  const { rows } = await database.query(
    `SELECT nspname || '.' || relname AS name, ${OF_ORGANIZATIONS} AS "isOfOrganizations", ${isDistributed} AS "isDistributed"
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind = 'r' ORDER BY name`,
    [schema],
  );
  return rows as AreaTable[];
}

/** Why a service can't serve from a schema: a part of it is distributed. */
export async function distributionProblem(database: Database, schema: string): Promise<string | undefined> {
  const tables = (await tablesOf(database, schema)).filter(({ isOfOrganizations }) => isOfOrganizations);
  const left = tables.find(({ isDistributed }) => !isDistributed);
  if (!left || !tables.some(({ isDistributed }) => isDistributed)) return undefined;
  return `only a part of schema ${schema} is distributed, and not ${left.name}: run npx cxp distribute`;
}

/** What keeps Citus from distributing the tables of a schema, or would be wrong then: one line for each. Nothing on a schema that is distributed. */
export async function undistributable(database: Database, schema: string): Promise<string[]> {
  const { rows } = await database.query(
    `WITH keyed AS (
       SELECT pg_class.oid, nspname || '.' || relname AS name, attnum, atttypid, attcollation
       FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
       JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'organization_id'
       WHERE nspname = $1 AND relkind = 'r' AND ${OF_ORGANIZATIONS}
     )
     SELECT name || ': ' || problem AS line FROM (
       SELECT name, 'unique without the organization: ' || indexrelid::regclass AS problem
       FROM keyed JOIN pg_index ON indrelid = keyed.oid WHERE indisunique AND NOT attnum = ANY (indkey)
       UNION ALL SELECT name, 'trigger ' || tgname FROM keyed JOIN pg_trigger ON tgrelid = keyed.oid WHERE NOT tgisinternal
       UNION ALL SELECT name, 'type or collation of organization_id is not that of the other tables' FROM keyed
       WHERE (atttypid, attcollation) <> (
         SELECT mode() WITHIN GROUP (ORDER BY atttypid), mode() WITHIN GROUP (ORDER BY attcollation) FROM keyed
       )
       UNION ALL SELECT name, 'foreign key ' || conname FROM keyed JOIN pg_constraint ON conrelid = keyed.oid WHERE contype = 'f'
       UNION ALL SELECT name, 'exclusion ' || conname FROM keyed JOIN pg_constraint ON conrelid = keyed.oid WHERE contype = 'x'
       UNION ALL SELECT name, 'identity that is no bigint: ' || attname
       FROM keyed JOIN pg_attribute AS identity ON attrelid = keyed.oid WHERE attidentity <> '' AND identity.atttypid <> 'bigint'::regtype
     ) AS found ORDER BY line`,
    [schema],
  );
  return (rows as { line: string }[]).map(({ line }) => line);
}

/** SQL of a condition on pg_class: the first column of the primary key is the organization. */
const OF_ORGANIZATIONS = `EXISTS (
  SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
  WHERE indrelid = pg_class.oid AND indisprimary AND attname = 'organization_id'
)`;

/** A name with its schema, as SQL. */
export function quoted(name: string): string {
  return name.split('.').map(escapeIdentifier).join('.');
}
