import type { Client, QueryResult } from 'pg';
import type { DatabaseArea, Privilege } from './database-area';

const ALL_PRIVILEGES: readonly Privilege[] = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** PostgreSQL's codes for a table and a schema that don't exist, and for a missing right. */
const NOT_MIGRATED = new Set(['42P01', '3F000']);
const NOT_ALLOWED = '42501';

interface Database {
  query(sql: string, values?: unknown[]): Promise<QueryResult>;
}

/**
 * The statements that let a role serve from an area: it reads and writes rows, and owns and creates nothing.
 * @param role quoted
 */
export function grantsTo(
  role: string,
  { schema, servingPrivileges = ALL_PRIVILEGES }: DatabaseArea,
): string[] {
  return [
    `GRANT USAGE ON SCHEMA "${schema}" TO ${role}`,
    `GRANT ${servingPrivileges.join(', ')} ON ALL TABLES IN SCHEMA "${schema}" TO ${role}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA "${schema}" TO ${role}`,
    `REVOKE ALL ON "${schema}".migration FROM ${role}`,
    `GRANT SELECT ON "${schema}".migration TO ${role}`,
  ];
}

/**
 * The role that owns an area's schema, which migrations run as: everything that they create is its own, whichever of its
 * members runs them.
 * @returns undefined when there is no schema yet, and the role of the connection may create it
 * @throws one line that says what to do, when the connection's role may not migrate
 */
export async function owningRole(client: Client, { schema }: DatabaseArea): Promise<string | undefined> {
  const { rows } = await client.query<{
    role: string;
    owner: string | null;
    member: boolean;
    create: boolean;
  }>(
    `SELECT quote_ident(current_user) AS role, quote_ident(owner.rolname) AS owner,
       pg_has_role(current_user, owner.oid, 'MEMBER') AS member,
       has_database_privilege(current_database(), 'CREATE') AS create
     FROM (VALUES ($1)) AS wanted (schema)
     LEFT JOIN pg_namespace ON nspname = wanted.schema
     LEFT JOIN pg_roles AS owner ON owner.oid = nspowner`,
    [schema],
  );
  const { role, owner, member, create } = rows[0]!;
  if (owner === null) {
    if (create) return undefined;
    throw new Error(
      `there is no schema ${schema}, and ${role} may not create one: CREATE SCHEMA ${schema} AUTHORIZATION ${role}`,
    );
  }
  if (member) return owner;
  throw new Error(
    `schema ${schema} belongs to ${owner}: GRANT ${owner} TO ${role}, or migrate ${schema} as ${owner}`,
  );
}

/** Why a service can't serve from an area with the rights of this connection; undefined when it can. */
export async function areaProblem(database: Database, area: DatabaseArea): Promise<string | undefined> {
  const { schema, servingPrivileges = ALL_PRIVILEGES } = area;
  try {
    const migrated = await database.query(`SELECT name FROM "${schema}".migration`);
    const names = new Set(migrated.rows.map(({ name }: { name: string }) => name));
    const missing = area.migrations.find(({ name }) => !names.has(name));
    if (missing) return `schema ${schema} is not migrated: ${missing.name} has not been run`;
    const { rows } = await database.query(
      `SELECT relname AS table, privilege
       FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace, unnest($2::text[]) AS privilege
       WHERE nspname = $1 AND relkind IN ('r', 'p') AND relname <> 'migration'
         AND NOT has_table_privilege(pg_class.oid, privilege)
       LIMIT 1`,
      [schema, servingPrivileges],
    );
    const [denied] = rows as { table: string; privilege: string }[];
    return denied && `the role may not ${denied.privilege} ${schema}.${denied.table}`;
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (NOT_MIGRATED.has(code)) return `schema ${schema} is not migrated`;
    if (code === NOT_ALLOWED) return `the role may not use schema ${schema}: ${(error as Error).message}`;
    throw error;
  }
}
