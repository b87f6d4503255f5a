import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, escapeLiteral } from 'pg';
import { becomeTemplate, joinNodes, onEveryNode, onServer, urlOf } from './test-cluster';
import { SERVING_ROLE, testRun } from './test-run';

/** The needed part of `DatabaseArea`; `@cxp/storage` can't be imported, because its tests use this lib. */
interface MigratedArea {
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
export async function createTestDatabase<Area extends MigratedArea>(
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

async function prepareTemplate<Area extends MigratedArea>(
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

function fingerprint(areas: MigratedArea[]): string {
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
