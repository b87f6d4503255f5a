import { setTimeout as sleep } from 'node:timers/promises';
import {
  itKeepsWhatItAcknowledged,
  itWithstands,
  runEpisode,
  SHORT_DEADLINE_MS,
  type Episode,
  type Fault,
} from '../src/episode';
import { send } from '../src/http';
import { FaultyProxy } from './faulty-proxy';
import { startOwnStores, type OwnStores } from './own-stores';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';
import { databases } from '../src/areas';
import { WORKLOADS } from '../src/workloads';

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
}, 60_000);

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

describe.each(FAULTS)('while $name', (fault) => {
  let episodes: Episode[];

  beforeAll(async () => {
    episodes = await runEpisode(running!.targets, fault);
  }, 90_000);

  describe.each(WORKLOADS.map(({ service }, index) => ({ name: service.name, index })))(
    '$name',
    ({ index }) => {
      const episode = () => episodes[index]!;
      itWithstands(episode);
      itKeepsWhatItAcknowledged(episode, () => ({
        databaseUrl: stores.postgres.url,
        organizationId: running!.caller.organizationId,
      }));
    },
  );
});

it('while postgres is silent, metrics are answered, those that ask it too', async () => {
  proxies.postgres.swallow();
  const scraped = await Promise.all(
    running!.targets.map(({ url }) => send(url, { method: 'GET', path: '/metrics' })),
  );
  proxies.postgres.heal();
  expect(scraped.map(({ status }) => status)).toEqual([200, 200, 200]);
});
