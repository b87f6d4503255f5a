import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { eventually } from '@cxp/service-kit/testing';
import { migrate } from '@cxp/storage';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { itKeepsWhatItAcknowledged, itWithstands, runEpisode, type Episode } from '../src/episode';
import { send } from '@cxp/services/http';
import { startRedisCluster, startRedisWithSentinels, type RedisTopology } from '../src/redis-topologies';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';
import { ALL_AREAS, startBuilt, webchat } from '@cxp/services/service-under-test';
import { WORKLOADS } from '@cxp/services/workloads';

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
  let dataSource: DataSource;
  let running: RunningWorkloads;
  let episodes: Episode[];
  const posted: string[] = [];

  beforeAll(async () => {
    [redis, database] = await Promise.all([start(), createTestDatabase([...ALL_AREAS], migrate)]);
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    running = await startWorkloads(database.url, { DATABASE_URL: database.url, REDIS_URL: redis.url });
    let isOver = false;
    const posting = postMessages(() => isOver);
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
    isOver = true;
    await posting;
  }, 180_000);

  afterAll(async () => {
    await running?.stop();
    await dataSource?.destroy();
    await database?.drop();
    await redis?.stop();
  });

  /** Messages of a chat, each sent until it is stored. */
  async function postMessages(isOver: () => boolean): Promise<void> {
    const { caller, processes } = running;
    const { url } = processes.get(WORKLOADS.find(({ service }) => service === webchat)!)!;
    const [{ id: conversation }] = await dataSource.query(
      `INSERT INTO webchat.conversation (organization_id, user_id) VALUES ($1, 'chat') RETURNING id`,
      [caller.organizationId],
    );
    const headers = { ...caller.headers, 'content-type': 'application/json' };
    for (let n = 1; !isOver(); n++) {
      const body = JSON.stringify({ id: `m-${n}`, senderType: 'agent', text: 'Hello' });
      const path = `/internal/conversations/${conversation}/messages`;
      const isStored = async () => (await send(url, { method: 'POST', path, headers, body })).status === 200;
      await eventually(isStored, 60_000);
      posted.push(`m-${n}`);
      await sleep(20);
    }
  }

  it('is what REDIS_URL has to name: a single server of it stops the start with one line', async () => {
    await expect(
      startBuilt(webchat, { DATABASE_URL: database.url, REDIS_URL: redis.partUrl }),
    ).rejects.toThrow(refusal);
  });

  it('loses no message on its way to the export when a master is killed', async () => {
    const stored = async () => {
      const rows: { id: string }[] = await dataSource.query(
        `SELECT id FROM contact_center.message ORDER BY substr(id, 3)::int`,
      );
      return rows.map(({ id }) => id);
    };
    await eventually(async () => (await stored()).length >= posted.length, 60_000).catch(() => undefined);
    expect(posted.length).toBeGreaterThan(10);
    expect(await stored()).toEqual(posted);
  }, 90_000);

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

describe('Sentinels that do not know the name of the master', () => {
  let redis: RedisTopology;
  let database: TestDatabase;
  const start = (nodes: readonly string[], waitUntil?: 'alive') =>
    startBuilt(
      webchat,
      { DATABASE_URL: database.url, REDIS_URL: `redis+sentinel://${nodes.join(',')}/other` },
      undefined,
      waitUntil,
    );
  let sentinels: string[];

  beforeAll(async () => {
    [redis, database] = await Promise.all([
      startRedisWithSentinels(),
      createTestDatabase([...ALL_AREAS], migrate),
    ]);
    sentinels = /\/\/(.*)\//.exec(redis.url)![1]!.split(',');
  }, 60_000);
  afterAll(async () => {
    await database?.drop();
    await redis?.stop();
  });

  it('stop the start with one line', async () => {
    await expect(start(sentinels)).rejects.toThrow(
      /^Ended with status 1:\n(\{.*\}\n)*webchat-gateway: Redis at \S+ has no master of the name "other": REDIS_URL names it\n?$/,
    );
  });

  it('are asked again while most of them are away', async () => {
    const service = await start([sentinels[0]!, '127.0.0.1:1', '127.0.0.1:2'], 'alive');
    await eventually(() => /can't be used: .*trying again/.test(service.output()));
    let hasEnded = false;
    void service.exited.then(() => (hasEnded = true));
    await sleep(1_000); // which are several rounds
    expect(hasEnded).toBe(false);
    await service.stop();
  });
});
