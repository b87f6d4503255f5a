import { execFile } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { oldestPostgres, workspaceRoot, type LocalServer } from '@cxp/testing/local-servers';

const run = promisify(execFile);

/** What an operator does with a server of PostgreSQL: databases, SQL as any role, and the programs of a shell. */
export class OperatedServer {
  constructor(readonly server: LocalServer) {}

  /** The URL of a database, as this role; by default as a superuser. */
  urlOf(database: string, role?: string): string {
    const url = new URL(this.server.url);
    url.pathname = `/${database}`;
    if (role) url.username = role;
    return url.href;
  }

  async execute<Row extends object = object>(database: string, sql: string, role?: string): Promise<Row[]> {
    return execute<Row>(this.urlOf(database, role), sql);
  }

  /** docker/roles.sql, as its first lines say. */
  async runRolesScript(database: string): Promise<void> {
    await shell('psql --quiet --dbname="$ADMIN_DATABASE_URL" --file=docker/roles.sql', {
      ADMIN_DATABASE_URL: this.urlOf(database),
    });
  }
}

/** Runs SQL over a connection of its own. */
export async function execute<Row extends object = object>(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Runs commands with the programs of PostgreSQL 15 on the PATH, in the workspace. @throws with what they printed */
export async function shell(
  commands: string,
  environment: Readonly<Record<string, string>>,
  cwd = workspaceRoot,
): Promise<string> {
  const { directory, env } = await oldestPostgres();
  const PATH = `${directory}${delimiter}${process.env.PATH}`;
  const { stdout } = await run('sh', ['-ec', commands], { cwd, env: { ...env, PATH, ...environment } });
  return stdout;
}

/** The migration of a service's image. */
export async function migrateBuilt(
  app: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const program = join(workspaceRoot, 'dist/apps', app, 'migrate.js');
  return (await run(process.execPath, [program], { env: environment })).stdout;
}

/** The command line as its build makes it. */
export const CXP_PROGRAM = join(workspaceRoot, 'dist/tools/cxp/main.js');

export async function cxpBuilt(
  environment: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<string> {
  const env = { PATH: process.env.PATH, ...environment };
  return (await run(process.execPath, [CXP_PROGRAM, ...args], { env })).stdout;
}
