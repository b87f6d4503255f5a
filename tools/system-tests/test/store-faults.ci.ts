import { setTimeout as sleep } from 'node:timers/promises';
import { describeFault, SHORT_DEADLINE_MS, type Fault } from './episode';
import { send } from '../src/http';
import { FaultyProxy } from '@cxp/testing/local-servers';
import { startOwnStores, type OwnStores } from './own-stores';
import { databases } from '@cxp/areas/wiring';
import { startWorkloads, WORKLOADS, type RunningWorkloads } from '../src/workloads';
import { execute } from '../src/operated-server';

let stores: OwnStores;
let proxies: Record<'postgres' | 'redis', FaultyProxy>;
let running: RunningWorkloads | undefined;

beforeAll(async () => {
  stores = await startOwnStores(databases);
  proxies = {
    postgres: await FaultyProxy.before(stores.postgres.url),
    redis: await FaultyProxy.before(stores.redis.url),
  };
  running = await startWorkloads(stores.postgres.url, {
    DATABASE_URL: proxies.postgres.url,
    REDIS_URL: proxies.redis.url,
    CXP_TEST_DEADLINE_MS: String(SHORT_DEADLINE_MS),
  });
});

afterAll(async () => {
  await running?.stop();
  await Promise.all([proxies.postgres.close(), proxies.redis.close()]);
  await stores.remove();
});

const FAULTS: readonly Fault[] = (['postgres', 'redis'] as const).flatMap((store): Fault[] => {
  const proxy = () => proxies[store];
  const ended = (how: 'stop' | 'kill') => ({
    begin: async () => {
      await proxy().refuse();
      await stores[store][how]();
    },
    end: async () => {
      await stores[store].start();
      await proxy().accept();
    },
  });
  let cutting: NodeJS.Timeout;
  return [
    { name: `${store} is stopped and started`, ...ended('stop') },
    { name: `${store} crashes and is started`, ...ended('kill') },
    { name: `${store} is slow`, begin: () => proxy().delay(3_000), end: () => proxy().heal() },
    { name: `${store} is silent`, begin: () => proxy().swallow(), end: () => proxy().heal() },
    {
      name: `${store} loses what is sent for a moment`,
      begin: async () => {
        proxy().swallow();
        await sleep(300);
        proxy().heal();
      },
      end: () => undefined,
    },
    {
      name: `connections to ${store} are cut`,
      begin: () => void (cutting = setInterval(() => proxy().cut(), 50)),
      end: () => clearInterval(cutting),
    },
  ];
});

/** Inserts fail with PostgreSQL's error for a full disk. */
const DISK_FULL = `
  CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  ${WORKLOADS.map(({ intakeTable }) => `CREATE TRIGGER disk_full BEFORE INSERT ON ${intakeTable} EXECUTE FUNCTION disk_full();`).join('\n')}`;

const theRunning = () => running!;
const databaseUrl = () => stores.postgres.url;

for (const fault of FAULTS) describeFault(fault, theRunning, databaseUrl);

describeFault(
  {
    name: 'the disk is full',
    begin: () => execute(databaseUrl(), DISK_FULL),
    end: () => execute(databaseUrl(), 'DROP FUNCTION disk_full() CASCADE'),
  },
  theRunning,
  databaseUrl,
  { hits: /^take records in$/ },
);

it('while postgres is silent, metrics are answered, those that ask it too', async () => {
  proxies.postgres.swallow();
  const scraped = await Promise.all(
    running!.targets.map(({ url }) => send(url, { method: 'GET', path: '/metrics' })),
  );
  proxies.postgres.heal();
  expect(scraped.map(({ status }) => status)).toEqual([200, 200, 200]);
});
