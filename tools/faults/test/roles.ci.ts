import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { startPostgres, workspaceRoot, type LocalServer } from '@cxp/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { createTestRedis, type TestRedis } from '@cxp/testing';
import { describeResult, Load, succeeded } from '../src/load';
import { snippetsOf } from '@cxp/local-stack/snippets';
import { startBuilt } from '@cxp/services/service-under-test';
import { importRecords, WORKLOADS } from '@cxp/services/workloads';

const run = promisify(execFile);

let server: LocalServer;
let redis: TestRedis;

beforeAll(async () => {
  server = await startPostgres();
  redis = await createTestRedis();
}, 60_000);
afterAll(async () => {
  await redis.close();
  await server.stop();
});

/** The URL of a database, as this role. */
function urlOf(database: string, role?: string): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  if (role) url.username = role;
  return url.href;
}

async function asAdministrator(database: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: urlOf(database) });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

function migrate(app: string, environment: Record<string, string>) {
  return run(process.execPath, [join(workspaceRoot, 'dist/apps', app, 'migrate.js')], { env: environment });
}

it('docker/roles.sql: each area migrates as its owner, in any order, and serves as a role that only reads and writes rows', async () => {
  await asAdministrator('postgres', 'CREATE DATABASE with_roles');
  await asAdministrator('with_roles', readFileSync(join(workspaceRoot, 'docker/roles.sql'), 'utf8'));
  const settings = snippetsOf('docker/growing.md').filter(({ language }) => language === 'sql');
  expect(settings).not.toEqual([]);
  for (const { text } of settings) await asAdministrator('with_roles', text);
  const administrator = await new DataSource({ type: 'postgres', url: urlOf('with_roles') }).initialize();
  for (const { service, records, operations } of [...WORKLOADS].reverse()) {
    const area = service.area.schema;
    const DATABASE_URL = urlOf('with_roles', `${area}_service`);
    await migrate(service.name, {
      MIGRATION_DATABASE_URL: urlOf('with_roles', `${area}_owner`),
      DATABASE_URL,
    });
    const caller = await issueTestToken(administrator);
    const { url, stop } = await startBuilt(service, { DATABASE_URL, REDIS_URL: redis.url });
    await importRecords(url, caller, records);
    const load = Load.against(url, operations, caller);
    const isCalled = () =>
      operations.every((operation) => load.results.some((r) => r.operation === operation));
    while (!isCalled()) await new Promise((resolve) => setTimeout(resolve, 20));
    const results = await load.stop();
    await stop();
    expect(results.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
  }
  const owners: { schema: string; owner: string }[] = await administrator.query(
    `SELECT DISTINCT schemaname AS schema, tableowner AS owner FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  expect(owners).toEqual([
    { schema: 'access', owner: 'access_owner' },
    { schema: 'contact_center', owner: 'contact_center_owner' },
    { schema: 'survey', owner: 'survey_owner' },
    { schema: 'webchat', owner: 'webchat_owner' },
  ]);
  const [served] = WORKLOADS;
  await expect(
    migrate(served!.service.name, {
      DATABASE_URL: urlOf('with_roles', `${served!.service.area.schema}_service`),
    }),
  ).rejects.toMatchObject({
    stderr: expect.stringMatching(/^migrate: schema access belongs to access_owner: GRANT/),
  });
  for (const statement of [
    'CREATE TABLE webchat.note (id int)',
    'DROP TABLE webchat.message',
    `INSERT INTO access.organization (id, name) VALUES ('x', 'x')`,
    'SELECT FROM survey.survey_campaign',
    `INSERT INTO webchat.migration (timestamp, name) VALUES (1, 'x')`,
  ]) {
    const serving = new Client({ connectionString: urlOf('with_roles', 'webchat_service') });
    await serving.connect();
    await expect(serving.query(statement).finally(() => serving.end())).rejects.toMatchObject({
      message: expect.stringMatching(/permission denied|must be owner/),
    });
  }
  await administrator.destroy();
}, 180_000);

it('an owner that may not use what another one has made is told what to do, in one line', async () => {
  await asAdministrator('postgres', 'CREATE DATABASE without_group');
  await asAdministrator('postgres', 'CREATE ROLE first_owner LOGIN; CREATE ROLE second_owner LOGIN');
  await asAdministrator('postgres', 'GRANT CREATE ON DATABASE without_group TO first_owner, second_owner');
  await migrate('webchat-gateway', { DATABASE_URL: urlOf('without_group', 'first_owner') });
  await expect(
    migrate('contact-center-export', { DATABASE_URL: urlOf('without_group', 'second_owner') }),
  ).rejects.toMatchObject({
    stderr:
      'migrate: schema access belongs to first_owner: GRANT first_owner TO second_owner, or migrate access as first_owner\n',
  });
});
