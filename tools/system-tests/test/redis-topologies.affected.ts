import { migrate } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { describeFault } from './episode';
import { startRedisCluster, startRedisWithSentinels, type RedisTopology } from './redis-topologies';
import { startWorkloads, type RunningWorkloads } from '../src/workloads';
import { databases } from '@cxp/areas/wiring';
import { startBuilt, webchat } from '../src/service-under-test';

const TOPOLOGIES = [
  {
    name: 'a Redis Cluster',
    start: startRedisCluster,
    refusal: /is a node of a Redis Cluster: REDIS_URL must be redis\+cluster/,
  },
  {
    name: 'Redis with Sentinels',
    start: startRedisWithSentinels,
    refusal: /is a Sentinel: REDIS_URL must be redis\+sentinel/,
  },
];

describe.each(TOPOLOGIES)('$name', ({ start, refusal }) => {
  let redis: RedisTopology;
  let database: TestDatabase;
  let running: RunningWorkloads;
  let failedOver: Promise<void>;

  beforeAll(async () => {
    [redis, database] = await Promise.all([start(), createTestDatabase([...databases], migrate)]);
    running = await startWorkloads(database.url, { DATABASE_URL: database.url, REDIS_URL: redis.url });
  }, 180_000);

  afterAll(async () => {
    await running?.stop();
    await database?.drop();
    await redis?.stop();
  });

  it('is what REDIS_URL has to name: a single server of it stops the start with one line', async () => {
    await expect(
      startBuilt(webchat, { DATABASE_URL: database.url, REDIS_URL: redis.partUrl }),
    ).rejects.toThrow(refusal);
  });

  describeFault(
    {
      name: 'a master is killed',
      begin: () => void (failedOver = redis.failOver()),
      end: () => failedOver,
    },
    () => running,
    () => database.url,
    { mayGoUnseen: true },
  );
});
