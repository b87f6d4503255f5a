import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, escapeLiteral } from 'pg';
import type { DataSource } from 'typeorm';
import { SERVING_ROLE, testRun } from './test-run';

/** Milliseconds for ending connections to a new template, such as Citus's daemon. */
const TERMINATION_MS = 5_000;

/** The needed part of `DatabaseSchema`; `@cxp/storage` can't be imported, because its tests use this lib. */
interface MigratedSchema {
  readonly name: string;
  readonly migrations: readonly { readonly name: string; toString(): string }[];
}

export interface TestDatabase {
  /** A superuser's. */
  readonly url: string;
  /** For a service under test: a role with no more than a serving role's rights. */
  readonly serviceEnvironment: {
    readonly DATABASE_URL: string;
    readonly DATABASE_POOLER: 'none' | 'transaction';
  };
  readonly drop: () => Promise<void>;
}

type Migrate<Area> = (area: Area, databaseUrl: string, servingRole: string) => Promise<unknown>;

/**
 * A database for a test file, with migrated areas: `createTestDatabase([accessDatabase, surveyDatabase], migrate)`; an empty
 * one: `createTestDatabase()`. Migrations run once per test run, into a template. On a cluster, docker/citus.sql spreads the
 * tables.
 */
export async function createTestDatabase<Area extends MigratedSchema>(
  areas: Area[] = [],
  migrate: Migrate<Area> = async () => undefined,
): Promise<TestDatabase> {
  const template = await prepareTemplate(areas, migrate);
  const name = `${testRun.databasePrefix}${randomUUID()}`;
  await onEveryNode((client) => client.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`));
  return {
    url: urlOf(name),
    serviceEnvironment: testRun.poolerUrl
      ? { DATABASE_URL: servingUrl(urlOf(name, testRun.poolerUrl)), DATABASE_POOLER: 'transaction' }
      : { DATABASE_URL: servingUrl(urlOf(name)), DATABASE_POOLER: 'none' },
    drop: async () => {
      await onEveryNode((client) => dropDatabase(client, name));
    },
  };
}

/** Templates too, which a server that outlives the run would keep. */
export async function dropTestDatabases(): Promise<void> {
  await onEveryNode(async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [testRun.databasePrefix],
    );
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS "${datname}" WITH (FORCE)`);
  });
}

/** A pool that just ended would report cut connections, so PostgreSQL waits five seconds for them first. */
async function dropDatabase(server: Client, name: string): Promise<void> {
  const drop = `DROP DATABASE IF EXISTS "${name}"`;
  await server.query(drop).catch(() => server.query(`${drop} WITH (FORCE)`));
}

async function prepareTemplate<Area extends MigratedSchema>(
  areas: Area[],
  migrate: Migrate<Area>,
): Promise<string> {
  const template = `${testRun.databasePrefix}template_${fingerprint(areas)}`;
  const unfinished = `${template}_unfinished`;
  await onServer(testRun.databaseUrl, async (client) => {
    // The lock lets one worker migrate while others wait for its template.
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [template]);
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [template]);
    if (rowCount) return;
    await onEveryNode((node) => node.query(`DROP DATABASE IF EXISTS "${unfinished}" WITH (FORCE)`));
    await onEveryNode((node) => node.query(`CREATE DATABASE "${unfinished}"`));
    await createServingRole(client);
    if (testRun.isCluster) await joinNodes(unfinished);
    for (const area of areas) await migrate(area, urlOf(unfinished), SERVING_ROLE);
    if (testRun.isCluster) {
      const spread = readFileSync(join(__dirname, '../../../docker/citus.sql'), 'utf8');
      await onServer(urlOf(unfinished), (coordinator) => coordinator.query(spread));
    }
    await onEveryNode((node) => becomeTemplate(node, unfinished, template));
  });
  return template;
}

/** The role stays: it belongs to the server, and other runs may need it. */
async function createServingRole(client: Client): Promise<void> {
  const password = escapeLiteral(decodeURIComponent(new URL(testRun.databaseUrl).password));
  await client.query(`DO $$ BEGIN
    CREATE ROLE ${SERVING_ROLE} LOGIN PASSWORD ${password};
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
}

function servingUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.username = SERVING_ROLE;
  return url.href;
}

function fingerprint(areas: MigratedSchema[]): string {
  // Includes their code, because test files may give areas the same name.
  const parts = areas.map(({ name, migrations }) => [
    name,
    ...migrations.map((migration) => [migration.name, String(migration)]),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([testRun.isCluster, parts]))
    .digest('hex')
    .slice(0, 16);
}

/** Group 0 is the coordinator. */
interface Node {
  readonly groupid: number;
  readonly nodename: string;
  readonly nodeport: number;
}

function urlOf(database: string, serverUrl = testRun.databaseUrl): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function onServer<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Calls `use` for the run's server, or for all nodes of its cluster. The coordinator is first: it connects to the others. */
async function onEveryNode(use: (client: Client, url: string) => Promise<unknown>): Promise<void> {
  const [first, ...others] = testRun.isCluster ? (await nodes()).map(urlOfNode) : [testRun.databaseUrl];
  await onServer(first!, (client) => use(client, first!));
  await Promise.all(others.map((url) => onServer(url, (client) => use(client, url))));
}

async function joinNodes(database: string): Promise<void> {
  await onEveryNode((_, url) =>
    onServer(urlOf(database, url), (client) => client.query('CREATE EXTENSION citus')),
  );
  await onServer(urlOf(database), async (client) => {
    for (const { groupid, nodename, nodeport } of await nodes()) {
      const add = groupid === 0 ? 'citus_set_coordinator_host' : 'citus_add_node';
      await client.query(`SELECT ${add}($1, $2)`, [nodename, nodeport]);
    }
  });
}

/** Renames a database; nothing may connect to it while it is copied. */
async function becomeTemplate(server: Client, database: string, template: string): Promise<void> {
  await server.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
  await server.query('SELECT pg_terminate_backend(pid, $2) FROM pg_stat_activity WHERE datname = $1', [
    database,
    TERMINATION_MS,
  ]);
  await server.query(`ALTER DATABASE "${database}" RENAME TO "${template}"`);
}

async function nodes(): Promise<Node[]> {
  return onServer(testRun.databaseUrl, async (client) => {
    const { rows } = await client.query<Node>(
      `SELECT groupid, nodename, nodeport FROM pg_dist_node WHERE noderole = 'primary' AND isactive ORDER BY groupid`,
    );
    return rows;
  });
}

function urlOfNode({ groupid, nodename, nodeport }: Node): string {
  const url = new URL(testRun.databaseUrl);
  // The coordinator may have another address for tests.
  if (groupid !== 0) [url.hostname, url.port] = [nodename, String(nodeport)];
  return url.href;
}

/**
 * Counts the blocks that PostgreSQL reads, from memory or disk: a cost that does not depend on the machine. The work's
 * statements must be sequential, so that the pool gives all of them one connection.
 */
export async function blocksReadBy(dataSource: DataSource, work: () => Promise<unknown>): Promise<number> {
  const before = await blocksRead(dataSource);
  await work();
  return (await blocksRead(dataSource)) - before;
}

async function blocksRead(dataSource: DataSource): Promise<number> {
  await dataSource.query('SELECT pg_stat_force_next_flush()');
  const [{ blocks }] = await dataSource.query<[{ blocks: string }]>(
    `SELECT sum(
       heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
       + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0)
     ) AS blocks
     FROM pg_statio_user_tables`,
  );
  return Number(blocks);
}

/** Includes all nodes of a cluster. */
export async function statementsThatWait(database: {
  query(sql: string): Promise<unknown>;
}): Promise<string[]> {
  const activity = testRun.isCluster ? 'citus_stat_activity' : 'pg_stat_activity';
  const rows = await database.query(
    `SELECT query FROM ${activity} WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  // PostgreSQL shows the first 1,024 bytes.
  return (rows as { query: string }[]).map(({ query }) => query);
}

/** Every row of every table of a schema, as the name of the table and its text, in order. */
export async function storedRows(dataSource: DataSource, schema: string): Promise<string[]> {
  const tables = await dataSource.query<{ name: string }[]>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = $1`,
    [schema],
  );
  if (tables.length < 2) throw new Error(`there are no tables in ${schema}`);
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await dataSource.query<{ row: string }[]>(
      `SELECT stored::text AS row FROM ${name} AS stored`,
    );
    rows.push(...found.map(({ row }) => `${name} ${row}`));
  }
  return rows.sort();
}
