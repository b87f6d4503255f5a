import { eventually } from '@cxp/service-kit/testing';
import { migrate } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { itKeepsWhatItAcknowledged, itWithstands, runEpisode, type Episode } from '../src/episode';
import { startRedisCluster, startRedisWithSentinels, type RedisTopology } from './redis-topologies';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';
import { databases } from '../src/areas';
import { startBuilt, webchat } from '../src/service-under-test';
import { WORKLOADS } from '../src/workloads';

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
  let episodes: Episode[];

  beforeAll(async () => {
    [redis, database] = await Promise.all([start(), createTestDatabase([...databases], migrate)]);
    running = await startWorkloads(database.url, { DATABASE_URL: database.url, REDIS_URL: redis.url });
    let failedOver: Promise<void>;
    episodes = await runEpisode(
      running.targets,
      {
        name: 'a master is killed',
        begin: () => void (failedOver = redis.failOver()),
        end: () => failedOver,
      },
      { mayGoUnseen: true },
    );
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

  it('is seen to fail by a service at least, when a master is killed', () => {
    expect(episodes.some(({ beganAt, lastFailureAt }) => lastFailureAt > beganAt)).toBe(true);
  });

  describe.each(WORKLOADS.map(({ service }, index) => ({ name: service.name, index })))(
    '$name, when a master is killed,',
    ({ index }) => {
      const episode = () => episodes[index]!;
      itWithstands(episode, { mayGoUnseen: true });
      itKeepsWhatItAcknowledged(episode, () => ({
        databaseUrl: database.url,
        organizationId: running.caller.organizationId,
      }));
    },
  );
});

it('Sentinels that do not know the name of the master are asked again', async () => {
  const [redis, database] = await Promise.all([
    startRedisWithSentinels(),
    createTestDatabase([...databases], migrate),
  ]);
  const service = await startBuilt(
    webchat,
    { DATABASE_URL: database.url, REDIS_URL: redis.url.replace(/[^/]*$/, 'other') },
    undefined,
    'started',
  );
  await eventually(() => /can't be used: .*trying again/.test(service.output()));
  await service.stop();
  await database.drop();
  await redis.stop();
}, 60_000);
