import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { migrate } from '@cxp/storage';
import { type ServiceProcess } from '@cxp/local-servers';
import { createTestDatabase, createTestRedis, type TestDatabase, type TestRedis } from '@cxp/testing';
import { findDifferences } from '../src/acknowledged-writes';
import { BalancedClients } from '../src/balanced-client';
import { describeResult, Load, succeeded, type LoadResult } from '../src/load';
import { ALL_AREAS, startBuilt } from '@cxp/services/service-under-test';
import { importRecords, postRecords, WORKLOADS } from '@cxp/services/workloads';

const CALLERS_PER_OPERATION = 4;

/** Clients that keep a connection to either process and send nothing while one of them ends. */
const IDLE_CLIENTS = [1_000, 1_001];

describe.each(WORKLOADS)('$service.name', ({ service, operations, records }) => {
  let database: TestDatabase;
  let redis: TestRedis;
  let caller: Caller;
  let leaving: ServiceProcess;
  let staying: ServiceProcess;

  beforeAll(async () => {
    database = await createTestDatabase([...ALL_AREAS], migrate);
    redis = await createTestRedis();
    const dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    caller = await issueTestToken(dataSource);
    await dataSource.destroy();
    const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url, SHUTDOWN_DRAIN_SECONDS: '1' };
    [leaving, staying] = await Promise.all([
      startBuilt(service, environment),
      startBuilt(service, environment),
    ]);
    await importRecords(staying.url, caller, records);
  }, 60_000);

  afterAll(async () => {
    await Promise.all([leaving?.stop(), staying?.stop()]);
    await redis.close();
    await database.drop();
  });

  it('loses no request when one of two processes is ended, and ends it', async () => {
    const clients = new BalancedClients([leaving, staying]);
    const load = new Load(
      operations,
      caller,
      (request, client) => clients.send(request, client),
      CALLERS_PER_OPERATION,
    );
    const sendIdly = () =>
      Promise.all(IDLE_CLIENTS.map((client) => clients.send(postRecords(caller, records), client)));
    await sendIdly();
    await sleep(500);
    const slow = sendSlowly(leaving.url, caller, records);
    await sleep(500);
    leaving.signal('SIGTERM');

    expect(await slow).toEqual({ status: 200, connection: 'close' });
    expect(await leaving.exited).toBe(0);
    expect((await sendIdly()).map(({ status }) => status)).toEqual(IDLE_CLIENTS.map(() => 200));
    await sleep(500);
    const results = await load.stop();
    await clients.stop();

    expect(failures(results)).toEqual([]);
    expect(await findDifferences(database.url, caller.organizationId, results)).toEqual([]);
  });
});

function failures(results: readonly LoadResult[]): string[] {
  return results.filter((result) => !succeeded(result)).map(describeResult);
}

/** Records whose client is not done sending when the process has stopped to take connections. */
function sendSlowly(
  url: string,
  caller: Caller,
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
