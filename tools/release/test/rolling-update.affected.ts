import { execFile } from 'node:child_process';
import { accessDatabase } from '@cxp/auth-headers';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { startService, workspaceRoot, type ServiceProcess } from '@cxp/testing/local-servers';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { startBuilt } from '@cxp/system-tests/service-under-test';
import { importRecords, postRecords } from '@cxp/system-tests/http';
import { WORKLOADS } from '@cxp/system-tests/workloads';
import { migrate as migrateArea, openDatabase } from '@cxp/storage';
import { createTestDatabase, createTestRedis, type TestDatabase, type TestRedis } from '@cxp/testing';
import { findDifferences, describeResult, Load, succeeded } from '@cxp/system-tests/load';
import { BalancedClients } from './balanced-client';
import { buildPreviousRelease, type BuiltRelease } from './previous-release';

/** How long each version is under load alone, and both together, in milliseconds. */
const PHASE_MS = 1_000;

const CALLERS_PER_OPERATION = 4;

/** Clients that keep a connection and send nothing while the process behind it ends. */
const IDLE_CLIENTS = [1_000, 1_001];

const served = /^http_server_request_duration_seconds_count.*\/(external|internal)\//m;

let previous: BuiltRelease;
let database: TestDatabase;
let redis: TestRedis;
let caller: Caller;
let environment: Record<string, string>;

beforeAll(async () => {
  previous = await buildPreviousRelease(WORKLOADS.map(({ service }) => service.name));
  [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  environment = { DATABASE_URL: database.url, REDIS_URL: redis.url, SHUTDOWN_DRAIN_SECONDS: '3' };
  for (const { service } of WORKLOADS) await migrate(previous.directoryOf(service.name));
  const dataSource = await openDatabase(database.url, [accessDatabase]);
  caller = await issueTestToken(dataSource);
  await dataSource.destroy();
}, 600_000);

afterAll(async () => {
  previous?.remove();
  await redis?.close();
  await database?.drop();
});

async function migrate(directory: string, parameters: string[] = []): Promise<void> {
  const { DATABASE_URL } = environment;
  const program = join(directory, 'migrate.js');
  await promisify(execFile)(process.execPath, [program, ...parameters], { env: { DATABASE_URL } });
}

/**
 * What the next release may do to a schema while this one serves: it only adds, in a way that writers need not know. It waits for somebody who
 * reads the table for long, and then takes its time.
 */
async function expand({ service: { area }, intakeTable }: (typeof WORKLOADS)[number]): Promise<void> {
  const sql = `ALTER TABLE ${intakeTable} ADD note text, ADD weight int NOT NULL DEFAULT 0;
     CREATE TABLE ${area.schema}.made_up (id bigint PRIMARY KEY);
     SELECT pg_sleep(0.7)`;
  class Expand9999999999999 implements MigrationInterface {
    async up(queryRunner: QueryRunner): Promise<void> {
      await queryRunner.query(sql);
    }

    async down(): Promise<void> {}
  }
  const reader = new Client({ connectionString: environment.DATABASE_URL });
  await reader.connect();
  await reader.query(`BEGIN; SELECT 1 FROM ${intakeTable} LIMIT 1`);
  const expanded = { ...area, migrations: [...area.migrations, Expand9999999999999] };
  const migrating = migrateArea(expanded, environment.DATABASE_URL!);
  await sleep(2_500);
  await reader.end();
  expect(await migrating).toEqual([Expand9999999999999.name]);
}

/** Records whose client is not done sending when the process has stopped to take connections. */
function sendSlowly(
  url: string,
  records: readonly object[],
): Promise<{ status?: number; connection?: string }> {
  const { method, path, headers, body } = postRecords(caller, records);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${url}${path}`, { method, headers }, (incoming) => {
      incoming.resume();
      resolve({ status: incoming.statusCode, connection: incoming.headers.connection });
    });
    outgoing.on('error', reject);
    outgoing.write(body.slice(0, 10));
    void sleep(2_500).then(() => outgoing.end(body.slice(10)));
  });
}

/** A process of the previous release. */
function startPrevious({ service }: (typeof WORKLOADS)[number]): Promise<ServiceProcess> {
  return startService({
    entry: join(previous.directoryOf(service.name), 'main.js'),
    portVariable: service.portVariable,
    env: { LISTEN_HOST: '127.0.0.1', ...service.settings, ...environment },
  });
}

describe.each(WORKLOADS)(
  '$service.name, updated from the previous release under load and taken back,',
  (workload) => {
    it('loses no request: neither of the old process over the new schema, nor when either takes the place of the other', async () => {
      const { service, operations, records } = workload;
      const old = await startPrevious(workload);
      let next: ServiceProcess | undefined;
      let again: ServiceProcess | undefined;
      const clients = new BalancedClients([old]);
      await importRecords(old.url, caller, records);
      const load = new Load(
        operations,
        caller,
        (request, client) => clients.send(request, client),
        CALLERS_PER_OPERATION,
      );
      const sendIdly = async () => {
        const sent = IDLE_CLIENTS.map((client) => clients.send(postRecords(caller, records), client));
        expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
      };
      const callsOf = (process: ServiceProcess) =>
        fetch(`${process.url}/metrics`).then((answer) => answer.text());
      try {
        await sleep(PHASE_MS);
        await migrate(join(workspaceRoot, 'dist/apps', service.name));
        await expand(workload);
        await sleep(PHASE_MS);
        next = await startBuilt(service, environment);
        clients.add(next);
        await sendIdly();
        await sleep(PHASE_MS);
        const slow = sendSlowly(old.url, records);
        await sleep(500);
        old.signal('SIGTERM');
        expect(await slow).toEqual({ status: 200, connection: 'close' });
        expect(await old.exited).toBe(0);
        await sendIdly();
        await sleep(PHASE_MS);
        // Otherwise nothing was updated.
        expect(await callsOf(next)).toMatch(served);
        // The binaries go back, and the schema stays. Neither what a pod waits for nor the job of the old release minds.
        await migrate(previous.directoryOf(service.name), ['--wait']);
        await migrate(previous.directoryOf(service.name));
        again = await startPrevious(workload);
        clients.add(again);
        await sleep(PHASE_MS);
        next.signal('SIGTERM');
        expect(await next.exited).toBe(0);
        await sleep(PHASE_MS);
        expect(await callsOf(again)).toMatch(served);
      } finally {
        await load.stop();
        await clients.stop();
        await Promise.all([old.stop(), next?.stop(), again?.stop()]);
      }
      expect(load.results.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
      expect(await findDifferences(database.url, caller.organizationId, load.results)).toEqual([]);
    }, 180_000);
  },
);
