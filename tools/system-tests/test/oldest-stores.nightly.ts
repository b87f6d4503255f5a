import { execFile } from 'node:child_process';
import { openDatabase } from '@cxp/storage';
import { accessDatabase } from '@cxp/auth-headers';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import {
  oldestPostgres,
  startPostgres,
  startRedis,
  workspaceRoot,
  type LocalServer,
} from '@cxp/testing/local-servers';
import { eventually, issueTestToken } from '@cxp/service-kit/testing';
import { startBuilt } from '../src/service-under-test';
import { importRecords, WORKLOADS } from '../src/workloads';
import { findDifferences } from '../src/acknowledged-writes';
import { describeResult, Load, succeeded } from '../src/load';

const servers: LocalServer[] = [];
let environment: { DATABASE_URL: string; REDIS_URL: string };

beforeAll(async () => {
  const [postgres, redis] = await Promise.all([startPostgres({}, await oldestPostgres()), startRedis()]);
  servers.push(postgres, redis);
  environment = { DATABASE_URL: postgres.url, REDIS_URL: redis.url };
}, 120_000);
afterAll(() => Promise.all(servers.map((server) => server.stop())));

it('is PostgreSQL 15', async () => {
  const client = new Client({ connectionString: environment.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query('SHOW server_version');
  await client.end();
  expect(rows).toEqual([{ server_version: expect.stringMatching(/^15\./) }]);
});

it.each(WORKLOADS)('$service.name migrates and serves on it', async ({ service, records, operations }) => {
  const { DATABASE_URL } = environment;
  const migrations = join(workspaceRoot, 'dist/apps', service.name, 'migrate.js');
  await promisify(execFile)(process.execPath, [migrations], { env: { DATABASE_URL } });
  const dataSource = await openDatabase(DATABASE_URL, [accessDatabase]);
  const caller = await issueTestToken(dataSource);
  await dataSource.destroy();
  const { url, stop } = await startBuilt(service, environment);
  await importRecords(url, caller, records);
  const load = Load.against(url, operations, caller);
  await eventually(() => load.results.length > operations.length, 60_000);
  const results = await load.stop();
  await stop();
  expect(results.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
  expect(await findDifferences(DATABASE_URL, caller.organizationId, results)).toEqual([]);
});
