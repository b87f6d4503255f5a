import { setTimeout as sleep } from 'node:timers/promises';
import { startPgBouncer, type LocalServer } from '@cxp/local-servers';
import { send } from '@cxp/services/http';
import { ALL_AREAS } from '@cxp/services/service-under-test';
import { WORKLOADS } from '@cxp/services/workloads';
import { migrate } from '@cxp/storage';
import { createTestDatabase, createTestRedis, type TestDatabase, type TestRedis } from '@cxp/testing';
import { findDifferences } from '../src/acknowledged-writes';
import { describeResult, Load, succeeded } from '../src/load';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';

/** Paths that each use the database in another way: a feed that is read, one that is waited for, a stream, digests. */
const READS = [
  { app: 'contact-center-export', path: '/external/conversation-session-changes?limit=10' },
  { app: 'contact-center-export', path: '/external/conversation-session-changes?cursor=&wait=1' },
  {
    app: 'contact-center-export',
    path: '/external/conversation-session-digests?startDate=2026-01-05&endDate=2026-01-05',
  },
  { app: 'survey-api', path: '/external/survey-response-changes?limit=10' },
  { app: 'survey-api', path: '/external/survey-campaigns' },
  {
    app: 'survey-api',
    path: '/external/survey-response-digests?start_date=2026-01-05&end_date=2026-01-05',
  },
];

let database: TestDatabase;
let redis: TestRedis;
let pooler: LocalServer;
let running: RunningWorkloads;

beforeAll(async () => {
  [database, redis] = await Promise.all([createTestDatabase([...ALL_AREAS], migrate), createTestRedis()]);
  pooler = await startPgBouncer(database.url);
  const url = new URL(database.url);
  url.port = new URL(pooler.url).port;
  running = await startWorkloads(database.url, {
    DATABASE_URL: url.href,
    DATABASE_POOLER: 'transaction',
    REDIS_URL: redis.url,
  });
}, 120_000);

afterAll(async () => {
  await running?.stop();
  await pooler?.stop();
  await redis?.close();
  await database?.drop();
});

function urlOf(app: string): string {
  return [...running.processes].find(([{ service }]) => service.name === app)![1].url;
}

// The whole suites of the apps run behind it with CXP_TEST_POOLER=transaction.
describe('behind PgBouncer in transaction mode', () => {
  it.each(WORKLOADS)(
    '$service.name serves, and keeps what it acknowledged',
    async ({ service, operations }) => {
      const { caller } = running;
      const load = new Load(operations, caller, (request) => send(urlOf(service.name), request), 4);
      await sleep(3_000);
      const results = await load.stop();
      expect(results.length).toBeGreaterThan(50);
      expect(results.filter((result) => !succeeded(result)).map(describeResult)).toEqual([]);
      expect(await findDifferences(database.url, caller.organizationId, results)).toEqual([]);
    },
  );

  it.each(READS)('$app answers $path, again and again', async ({ app, path }) => {
    const read = () => send(urlOf(app), { method: 'GET', path, headers: running.caller.headers });
    for (let n = 0; n < 5; n++) expect((await read()).status).toBe(200);
  });
});
