import { escapeIdentifier, type Client, type Pool } from 'pg';
import type { DatabaseSchema } from './database-schema';

/** SQLSTATEs of a missing table, a missing schema, and a missing right. */
const NOT_MIGRATED = new Set(['42P01', '3F000']);
const NOT_ALLOWED = '42501';

const ALL_RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** The command line's role, from docker/roles.sql. */
const OPERATOR_ROLE = 'cxp_operator';
const servingRoleOf = (schema: string) => `${schema}_service`;

/** The script creates roles and gives each area to its owner. */
const ROLES_SCRIPT = 'run docker/roles.sql as an administrator of the database';

/**
 * Grants reading and writing of rows to the serving role and the existing roles of docker/roles.sql. Default privileges cover
 * new tables, because a later migration may fail.
 * @param client of the role that owns the area
 */
export async function grantRights(
  client: Client,
  { schema, isReadOnly }: DatabaseSchema,
  servingRole: string | undefined,
): Promise<void> {
  const { rows } = await client.query<{ role: string }>(
    `SELECT rolname AS role FROM pg_roles
     WHERE rolname IN ($1, $2, $3) AND NOT rolsuper AND NOT pg_has_role(rolname, current_user, 'MEMBER')`,
    [servingRole, servingRoleOf(schema), OPERATOR_ROLE],
  );
  const [migrated] = (
    await client.query<{ table: string | null }>('SELECT to_regclass($1) AS "table"', [
      `"${schema}".migration`,
    ])
  ).rows;
  for (const { role } of rows) {
    const to = escapeIdentifier(role);
    const rights = isReadOnly && role !== OPERATOR_ROLE ? 'SELECT' : ALL_RIGHTS.join(', ');
    await client.query(`
      GRANT USAGE ON SCHEMA "${schema}" TO ${to};
      GRANT ${rights} ON ALL TABLES IN SCHEMA "${schema}" TO ${to};
      ALTER DEFAULT PRIVILEGES IN SCHEMA "${schema}" GRANT ${rights} ON TABLES TO ${to};
      ${migrated!.table === null ? '' : `REVOKE INSERT, UPDATE, DELETE ON "${schema}".migration FROM ${to}`}`);
  }
}

/**
 * Migrations run as the schema's owner, so that it owns all objects, whichever member runs them.
 * @returns undefined when there is no schema yet and the connection's role may create it
 * @throws one line with the remedy, if the connection's role may not migrate
 */
export async function owningRole(client: Client, { schema }: DatabaseSchema): Promise<string | undefined> {
  const { rows } = await client.query<{
    role: string;
    owner: string | null;
    name: string;
    member: boolean;
    create: boolean;
    foreign: string | null;
    stranger: string | null;
  }>(
    `SELECT quote_ident(current_user) AS role, quote_ident(owner.rolname) AS owner, owner.rolname AS name,
       pg_has_role(current_user, owner.oid, 'MEMBER') AS member,
       has_database_privilege(current_database(), 'CREATE') AS create,
       other.foreign, other.stranger
     FROM (VALUES ($1)) AS wanted (schema)
     LEFT JOIN pg_namespace ON nspname = wanted.schema
     LEFT JOIN pg_roles AS owner ON owner.oid = nspowner
     LEFT JOIN LATERAL (
       SELECT relname AS foreign, quote_ident(pg_get_userbyid(relowner)) AS stranger FROM pg_class
       WHERE relnamespace = pg_namespace.oid AND relkind IN ('r', 'p') AND NOT pg_has_role(owner.oid, relowner, 'MEMBER')
       LIMIT 1
     ) AS other ON true`,
    [schema],
  );
  const { role, owner, name, member, create, foreign, stranger } = rows[0]!;
  if (owner === null) {
    if (create) return undefined;
    throw new Error(`there is no schema ${schema}, and ${role} may not create one: ${ROLES_SCRIPT}`);
  }
  if (!member) {
    throw new Error(
      `schema ${schema} belongs to ${owner}, of which ${role} is no member: ${ROLES_SCRIPT}, or migrate as ${owner}`,
    );
  }
  if (foreign) {
    throw new Error(
      `table ${schema}.${foreign} belongs to ${stranger}, and its schema to ${owner}: ${ROLES_SCRIPT}`,
    );
  }
  return name;
}

/** @returns why the connection's rights don't suffice to serve the area, and the remedy; undefined if they do */
export async function areaProblem(
  database: Client | Pool,
  { schema, migrations, isReadOnly }: DatabaseSchema,
): Promise<string | undefined> {
  const advice = 'run its migration (node migrate.js) as its owner, which grants what it needs';
  try {
    const migrated = await database.query(`SELECT name FROM "${schema}".migration`);
    const names = new Set(migrated.rows.map(({ name }: { name: string }) => name));
    const missing = migrations.find(({ name }) => !names.has(name));
    if (missing) return `schema ${schema} is not migrated: ${missing.name} has not been run`;
    const { rows } = await database.query(
      `SELECT name, privilege, quote_ident(current_user) AS role FROM (
         SELECT relname AS name, privilege FROM pg_class, unnest($2::text[]) AS needed (privilege)
         WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND relname <> 'migration'
           AND NOT has_table_privilege(pg_class.oid, privilege)
         UNION ALL
         SELECT proname, 'EXECUTE' FROM pg_proc
         WHERE pronamespace = $1::regnamespace AND NOT has_function_privilege(pg_proc.oid, 'EXECUTE')
       ) AS denied ORDER BY name, privilege LIMIT 1`,
      [`"${schema}"`, isReadOnly ? ['SELECT'] : ALL_RIGHTS],
    );
    const [denied] = rows as { name: string; privilege: string; role: string }[];
    if (denied) return `${denied.role} may not ${denied.privilege} ${schema}.${denied.name}: ${advice}`;
    return undefined;
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    if (NOT_MIGRATED.has(code)) return `schema ${schema} is not migrated`;
    if (code === NOT_ALLOWED) {
      return `the role may not use schema ${schema}: ${(error as Error).message}: ${advice}`;
    }
    throw error;
  }
}
