import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { openDatabase } from '@cxp/storage';
import { accessDatabase } from '@cxp/auth-headers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@cxp/testing/local-servers';
import { snippetsOf } from '@cxp/local-stack/snippets';
import { eventually, issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { createTestRedis, type TestRedis } from '@cxp/testing';
import { describeResult, Load, succeeded } from '@cxp/system-tests/load';
import { cxpBuilt, migrateBuilt, OperatedServer } from '@cxp/system-tests/operated-server';
import { importRecords } from '@cxp/system-tests/http';
import { startWorkloads, WORKLOADS, type Workload } from '@cxp/system-tests/workloads';
import { startBuilt } from '@cxp/system-tests/service-under-test';

const OWNERS = {
  access: 'access_owner',
  contact_center: 'contact_center_owner',
  survey: 'survey_owner',
  webchat: 'webchat_owner',
};

let postgres: OperatedServer;
let redis: TestRedis;

beforeAll(async () => {
  postgres = new OperatedServer(await startPostgres());
  redis = await createTestRedis();
});
afterAll(async () => {
  await redis.close();
  await postgres.server.stop();
});

/** Migrates as the area's owner, for the role that serves. */
async function migrateAsOwner(database: string, { service }: Workload): Promise<string> {
  const area = service.area.schema;
  const DATABASE_URL = postgres.urlOf(database, `${area}_service`);
  await migrateBuilt(service.name, {
    MIGRATION_DATABASE_URL: postgres.urlOf(database, `${area}_owner`),
    DATABASE_URL,
  });
  return DATABASE_URL;
}

/** Serves every operation of an area once. */
async function serve({ service, records, operations }: Workload, DATABASE_URL: string, caller: Caller) {
  const { url, stop } = await startBuilt(service, { DATABASE_URL, REDIS_URL: redis.url });
  await importRecords(url, caller, records);
  const load = Load.against(url, operations, caller);
  const isCalled = () => operations.every((operation) => load.results.some((r) => r.operation === operation));
  await eventually(isCalled, 60_000);
  const results = await load.stop();
  await stop();
  expect(results.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
}

async function callerOf(database: string): Promise<Caller> {
  const administrator = await openDatabase(postgres.urlOf(database), [accessDatabase]);
  return issueTestToken(administrator).finally(() => administrator.destroy());
}

async function ownersOf(database: string): Promise<Record<string, string>> {
  const rows = await postgres.execute<{ schema: string; owner: string }>(
    database,
    `SELECT schemaname AS schema, string_agg(DISTINCT tableowner, ',') AS owner FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') GROUP BY schemaname
     UNION SELECT nspname, pg_get_userbyid(proowner) FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
     WHERE nspname IN ('access', 'webchat', 'contact_center', 'survey')`,
  );
  return Object.fromEntries(rows.map(({ schema, owner }) => [schema, owner]));
}

describe('docker/roles.sql before the first migration', () => {
  let caller: Caller;

  beforeAll(async () => {
    await postgres.execute('postgres', 'CREATE DATABASE with_roles');
    // As often as wished.
    for (let run = 0; run < 2; run++) await postgres.runRolesScript('with_roles');
    const settings = snippetsOf('docker/growing.md').filter(({ language }) => language === 'sql');
    expect(settings).not.toEqual([]);
    for (const { text } of settings) await postgres.execute('with_roles', text);
    for (const workload of [...WORKLOADS].reverse()) {
      const serving = await migrateAsOwner('with_roles', workload);
      caller ??= await callerOf('with_roles');
      await serve(workload, serving, caller);
    }
  }, 180_000);

  it('each area migrates as its owner, in any order, and serves', async () => {
    expect(await ownersOf('with_roles')).toEqual(OWNERS);
    const [{ service }] = WORKLOADS as [Workload];
    const DATABASE_URL = postgres.urlOf('with_roles', `${service.area.schema}_service`);
    await expect(migrateBuilt(service.name, { DATABASE_URL })).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /^migrate: schema access belongs to access_owner, of which webchat_service is no member: run docker\/roles.sql/,
      ),
    });
  });

  it.each([
    ['webchat_service', 'CREATE TABLE webchat.note (id int)'],
    ['webchat_service', 'DROP TABLE webchat.event'],
    ['webchat_service', `INSERT INTO access.organization (id, name) VALUES ('x', 'x')`],
    ['webchat_service', 'SELECT FROM survey.campaign'],
    ['webchat_service', `INSERT INTO webchat.migration (timestamp, name) VALUES (1, 'x')`],
    ['cxp_operator', 'CREATE TABLE survey.note (id int)'],
    ['cxp_backup', `INSERT INTO access.organization (id, name) VALUES ('x', 'x')`],
    ['cxp_backup', 'DELETE FROM survey.response'],
  ])('%s may not: %s', async (role, statement) => {
    await expect(postgres.execute('with_roles', statement, role)).rejects.toThrow(
      /permission denied|must be owner/,
    );
  });

  it('npx cxp migrate of an administrator gives the roles their rights, too', async () => {
    const MIGRATION_DATABASE_URL = postgres.urlOf('with_roles');
    const serving = ['webchat_service', 'contact_center_service', 'survey_service'];
    const rightsOf = () =>
      postgres.execute(
        'with_roles',
        `SELECT role, nspname, relname, privilege FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace,
           unnest('{${serving.join()}}'::text[]) AS role, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS privilege
         WHERE relkind = 'r' AND nspname IN ('access', 'webchat', 'contact_center', 'survey')
           AND has_table_privilege(role, pg_class.oid, privilege) ORDER BY 1, 2, 3, 4`,
      );
    const before = await rightsOf();
    for (const schema of Object.keys(OWNERS)) {
      await postgres.execute(
        'with_roles',
        `REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${serving.join()}`,
      );
    }
    expect(await rightsOf()).not.toEqual(before);
    await cxpBuilt({ MIGRATION_DATABASE_URL }, 'migrate');
    expect(await rightsOf()).toEqual(before);
    expect(await ownersOf('with_roles')).toEqual(OWNERS);
  });

  it('cxp_operator may do what the command line does', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cxp-operator-'));
    const environment = { DATABASE_URL: postgres.urlOf('with_roles', 'cxp_operator') };
    const cxp = async (...args: string[]) => JSON.parse(await cxpBuilt(environment, ...args, '--json'));
    await cxp('organization', 'create', '--id', 'acme', '--name', 'Acme');
    await cxp('organization', 'list');
    const { id } = await cxp(
      ...['token', 'create', '--organization', 'acme', '--name', 'first', '--all-permissions'],
    );
    const { id: next, token } = await cxp('token', 'rotate', '--id', id);
    await cxp('token', 'list', '--organization', 'acme');
    await cxp('token', 'check', '--token', token, '--organization', 'acme');
    await cxp('token', 'revoke', '--id', next);
    for (const { service, records } of WORKLOADS) {
      const file = join(directory, 'records.ndjson');
      writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'));
      await cxp('import', '--area', service.area.name, '--organization', 'acme', file);
    }
    await cxp('project', '--area', 'contact-center');
    await postgres.execute(
      'with_roles',
      `INSERT INTO webchat.undelivered (organization_id, conversation_id, attempts) VALUES ('acme', gen_random_uuid(), 1)`,
    );
    expect(await cxp('undelivered', 'list')).toMatchObject({ total: 1 });
    expect(await cxp('undelivered', 'retry')).toEqual({ retried: 1 });
    rmSync(directory, { recursive: true });
  });
});

it('docker/roles.sql on an installation that ran without roles: nobody notices, and afterwards each area has its own', async () => {
  await postgres.execute('postgres', 'CREATE ROLE app LOGIN');
  await postgres.execute('postgres', 'CREATE DATABASE existing OWNER app');
  await postgres.execute('existing', 'CREATE EXTENSION pg_trgm; CREATE EXTENSION btree_gin');
  const DATABASE_URL = postgres.urlOf('existing', 'app');
  for (const { service } of WORKLOADS) await migrateBuilt(service.name, { DATABASE_URL });
  const running = await startWorkloads(postgres.urlOf('existing'), { DATABASE_URL, REDIS_URL: redis.url });
  const loads = running.targets.map(({ url, operations, caller }) => Load.against(url, operations, caller));
  await postgres.runRolesScript('existing');
  for (const workload of WORKLOADS) await migrateAsOwner('existing', workload);
  const results = (await Promise.all(loads.map((load) => load.stop()))).flat();
  await running.stop();
  expect(results.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
  expect(await ownersOf('existing')).toEqual(OWNERS);

  await postgres.execute('existing', `REVOKE ${Object.values(OWNERS).join(', ')} FROM app`);
  for (const workload of WORKLOADS) {
    await serve(
      workload,
      postgres.urlOf('existing', `${workload.service.area.schema}_service`),
      running.caller,
    );
  }
  await expect(postgres.execute('existing', 'SELECT FROM webchat.conversation', 'app')).rejects.toThrow(
    'permission denied',
  );
}, 180_000);

it('an owner that may not use what another one has made gets what to do, in one line', async () => {
  await postgres.execute('postgres', 'CREATE DATABASE without_group');
  await postgres.execute('postgres', 'CREATE ROLE first_owner LOGIN; CREATE ROLE second_owner LOGIN');
  await postgres.execute('postgres', 'GRANT CREATE ON DATABASE without_group TO first_owner, second_owner');
  const migrate = (app: string, role: string) =>
    migrateBuilt(app, { DATABASE_URL: postgres.urlOf('without_group', role) });
  await migrate('webchat-gateway', 'first_owner');
  await expect(migrate('contact-center-export', 'second_owner')).rejects.toMatchObject({
    stderr:
      'migrate: schema access belongs to first_owner, of which second_owner is no member: run docker/roles.sql as an administrator of the database, or migrate as first_owner\n',
  });
  await postgres.execute('without_group', 'ALTER TABLE webchat.event OWNER TO postgres');
  await expect(migrate('webchat-gateway', 'first_owner')).rejects.toMatchObject({
    stderr:
      'migrate: table webchat.event belongs to postgres, and its schema to first_owner: run docker/roles.sql as an administrator of the database\n',
  });
});
