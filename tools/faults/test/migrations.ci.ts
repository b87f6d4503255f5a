import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { MigrationInterface } from 'typeorm';
import { migrate } from '@cxp/storage';
import { workspaceRoot } from '@cxp/local-servers';
import { createTestDatabase, createTestRedis, type TestDatabase, type TestRedis } from '@cxp/testing';
import { findDifferences } from '../src/acknowledged-writes';
import { describeResult, Load, succeeded } from '../src/load';
import { madeUpMigration } from '../src/made-up-migration';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';
import { ALL_AREAS } from '@cxp/services/service-under-test';
import { WORKLOADS } from '@cxp/services/workloads';

let database: TestDatabase;
let redis: TestRedis;
let running: RunningWorkloads | undefined;

beforeAll(async () => {
  database = await createTestDatabase([...ALL_AREAS], migrate);
  redis = await createTestRedis();
  running = await startWorkloads(database.url, { DATABASE_URL: database.url, REDIS_URL: redis.url });
}, 60_000);

afterAll(async () => {
  await running?.stop();
  await redis.close();
  await database.drop();
});

describe.each(WORKLOADS)('$service.name loses no request', ({ service, operations, intakeTable }) => {
  it('when the migrations of its image are run again', () =>
    underLoad(async () => {
      const migrations = join(workspaceRoot, 'dist/apps', service.name, 'migrate.js');
      await promisify(execFile)(process.execPath, [migrations], { env: { DATABASE_URL: database.url } });
    }));

  it('when the next version adds a column and takes its time', () =>
    underLoad(() =>
      migrateNext(
        madeUpMigration('AddNote1', `ALTER TABLE ${intakeTable} ADD note text; SELECT pg_sleep(0.7)`),
      ),
    ));

  it('when a migration has to wait for somebody who reads the table for long', () =>
    underLoad(async () => {
      const reader = new Client({ connectionString: database.url });
      await reader.connect();
      await reader.query(`BEGIN; SELECT 1 FROM ${intakeTable} LIMIT 1`);
      const migrating = migrateNext(
        madeUpMigration('AddNote2', `ALTER TABLE ${intakeTable} ADD other_note text`),
      );
      await sleep(2_500);
      await reader.end();
      await migrating;
    }));

  async function migrateNext(migration: new () => MigrationInterface): Promise<void> {
    const { area } = service;
    const run = await migrate({ ...area, migrations: [...area.migrations, migration] }, database.url);
    expect(run).toEqual([migration.name]);
  }

  async function underLoad(migrating: () => Promise<void>): Promise<void> {
    const { caller, processes } = running!;
    const { url } = [...processes].find(([workload]) => workload.service === service)![1];
    const load = Load.against(url, operations, caller);
    try {
      await sleep(300);
      await migrating();
      await sleep(300);
    } finally {
      await load.stop();
    }
    expect(load.results.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
    expect(await findDifferences(database.url, caller.organizationId, load.results)).toEqual([]);
  }
});
