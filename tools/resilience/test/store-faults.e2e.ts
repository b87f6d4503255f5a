import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import type { ServiceProcess } from '@cxp/testing';
import { findDifferences } from '../src/acknowledged';
import { FaultyProxy } from '../src/faulty-proxy';
import { send } from '../src/http';
import { describeResult, Load, succeeded, type LoadResult } from '../src/load';
import { startOwnStores, type OwnStores, type StoppableServer } from '../src/own-stores';
import { ALL_AREAS, startBuilt } from '../src/services';
import { importRecords, WORKLOADS, type Workload } from '../src/workloads';

/** The issue's bounds, in milliseconds, and what a busy machine may add to them. */
const ANSWERED_WITHIN = 2_000;
const RECOVERED_WITHIN = 5_000;
const MARGIN = 1_000;

/** How long a fault lasts: longer than a request may wait. */
const FAULT_MS = 2_500;

/** A service is well again when nothing has failed for this long. */
const WELL_MS = 1_000;

interface Episode {
  readonly results: readonly LoadResult[];
  readonly beganAt: number;
  readonly endedAt: number;
  /** The last time that a call failed. */
  readonly lastFailureAt: number;
  readonly well: boolean;
  readonly live: number;
}

let stores: OwnStores;
let proxies: Record<'postgres' | 'redis', FaultyProxy>;
let caller: Caller;
const processes = new Map<Workload, ServiceProcess>();

beforeAll(async () => {
  stores = await startOwnStores(ALL_AREAS);
  proxies = {
    postgres: await FaultyProxy.before(stores.postgres.url),
    redis: await FaultyProxy.before(stores.redis.url),
  };
  const dataSource = await new DataSource({ type: 'postgres', url: stores.postgres.url }).initialize();
  caller = await issueTestToken(dataSource);
  await dataSource.destroy();
  const environment = { DATABASE_URL: proxies.postgres.url, REDIS_URL: proxies.redis.url };
  await Promise.all(
    WORKLOADS.map(async (workload) => {
      const service = await startBuilt(workload.service, environment);
      processes.set(workload, service);
      await importRecords(service.url, caller, workload.records);
    }),
  );
}, 60_000);

afterAll(async () => {
  await Promise.all([...processes.values()].map((service) => service.stop()));
  await Promise.all([proxies.postgres.close(), proxies.redis.close()]);
  await stores.remove();
});

interface Fault {
  readonly name: string;
  readonly begin: () => Promise<void> | void;
  readonly end: () => Promise<void> | void;
}

const FAULTS: readonly Fault[] = (['postgres', 'redis'] as const).flatMap((store) => {
  const proxy = () => proxies[store];
  const stopped = (how: 'stop' | 'kill') => ({
    begin: async () => {
      await proxy().refuse();
      await server(store)[how]();
    },
    end: async () => {
      await server(store).start();
      await proxy().accept();
    },
  });
  let cutting: NodeJS.Timeout;
  return [
    { name: `${store} is stopped and started`, ...stopped('stop') },
    { name: `${store} crashes and is started`, ...stopped('kill') },
    { name: `${store} is slow`, begin: () => proxy().delay(3_000), end: () => proxy().heal() },
    { name: `${store} is silent`, begin: () => proxy().swallow(), end: () => proxy().heal() },
    {
      name: `connections to ${store} are cut`,
      begin: () => void (cutting = setInterval(() => proxy().cut(), 50)),
      end: () => clearInterval(cutting),
    },
  ];
});

function server(store: 'postgres' | 'redis'): StoppableServer {
  return stores[store];
}

describe.each(FAULTS)('while $name', (fault) => {
  const episodes = new Map<Workload, Episode>();

  beforeAll(async () => {
    const loads = new Map(
      WORKLOADS.map((workload) => [
        workload,
        Load.against(processes.get(workload)!.url, workload.operations, caller),
      ]),
    );
    await sleep(300);
    await fault.begin();
    const beganAt = performance.now();
    await sleep(FAULT_MS);
    const live = await Promise.all(
      WORKLOADS.map((workload) =>
        send(processes.get(workload)!.url, { method: 'GET', path: '/health/live' }),
      ),
    );
    await fault.end();
    const endedAt = performance.now();
    await Promise.all(
      WORKLOADS.map(async (workload, index) => {
        const load = loads.get(workload)!;
        while (
          performance.now() < endedAt + RECOVERED_WITHIN + MARGIN + WELL_MS &&
          !isWell(load.results, endedAt)
        ) {
          await sleep(50);
        }
        const well = isWell(load.results, endedAt);
        const results = await load.stop();
        const lastFailureAt = lastFailure(results);
        episodes.set(workload, { results, beganAt, endedAt, lastFailureAt, well, live: live[index]!.status });
      }),
    );
  }, 30_000);

  describe.each(WORKLOADS)('$service.name', (workload) => {
    it('answers every call with success or a 503 that says when to come back', () => {
      const { results, live } = episodes.get(workload)!;
      expect(results.filter((result) => !isProper(result)).map(describeResult)).toEqual([]);
      expect(live).toBe(200);
    });

    it('answers within two seconds', () => {
      const { results } = episodes.get(workload)!;
      const slow = results.filter(({ startedAt, endedAt }) => endedAt - startedAt > ANSWERED_WITHIN + MARGIN);
      expect(slow.map((r) => `${r.endedAt - r.startedAt} ${describeResult(r)}`)).toEqual([]);
    });

    it('recovers by itself within five seconds', () => {
      const { beganAt, endedAt, lastFailureAt, well } = episodes.get(workload)!;
      expect(lastFailureAt).toBeGreaterThan(beganAt);
      expect(lastFailureAt - endedAt).toBeLessThan(RECOVERED_WITHIN + MARGIN);
      expect(well).toBe(true);
    });

    it('keeps what it acknowledged, once', async () => {
      const { results } = episodes.get(workload)!;
      expect(await findDifferences(stores.postgres.url, caller.organizationId, results)).toEqual([]);
    });
  });
});

function isProper(result: LoadResult): boolean {
  const { answer, operation } = result;
  if (succeeded(result)) return true;
  // A file that ends too early must not look complete: nothing but cutting it off tells so.
  if (operation.streamed && brokeOff(result)) return true;
  return (
    answer?.status === 503 &&
    Number(answer.headers['retry-after']) > 0 &&
    JSON.stringify(answer.body) === JSON.stringify(operation.unavailable)
  );
}

function brokeOff({ error }: LoadResult): boolean {
  return error instanceof Error && error.message === 'aborted';
}

function lastFailure(results: readonly LoadResult[]): number {
  return Math.max(0, ...results.filter((result) => !succeeded(result)).map(({ endedAt }) => endedAt));
}

function isWell(results: readonly LoadResult[], since: number): boolean {
  return performance.now() - Math.max(lastFailure(results), since) > WELL_MS;
}
