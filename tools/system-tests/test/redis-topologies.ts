import { Redis } from 'ioredis';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  redisBinary,
  startGuarded,
  waitUntilReady,
  type GuardedProcess,
} from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';

/** How long a node may be silent before the others replace it, in milliseconds. */
const NODE_TIMEOUT_MS = 1_000;

const SLOTS = 16_384;

/** Several Redis servers that stand for one, one of which can be killed. */
export interface RedisTopology {
  readonly url: string;
  /** One server of it, which a service has to refuse as its `REDIS_URL`. */
  readonly partUrl: string;
  /** Kills a master as `kill -9` does, and resolves when a replica has taken its place. */
  readonly failOver: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

interface Node {
  readonly port: number;
  readonly process: GuardedProcess;
  readonly redis: Redis;
}

/** Three masters, each with a replica. */
export async function startRedisCluster(): Promise<RedisTopology> {
  const directory = await mkdtemp(join(tmpdir(), 'cxp-redis-cluster-'));
  const nodes: Node[] = [];
  // By default 10,000 above the port, where the system gives ports to connections.
  const busPorts: number[] = [];
  for (let i = 0; i < 6; i++) {
    busPorts.push(await freePort());
    nodes.push(
      await startNode(directory, [
        ...['--cluster-enabled', 'yes', '--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
        ...['--cluster-replica-validity-factor', '0', '--cluster-port', String(busPorts[i])],
      ]),
    );
  }
  const masters = nodes.slice(0, 3);
  for (const [i, { redis }] of masters.entries()) {
    const [from, to] = [Math.ceil((i * SLOTS) / 3), Math.ceil(((i + 1) * SLOTS) / 3) - 1];
    await redis.cluster('ADDSLOTSRANGE', from, to);
    await redis.cluster('SET-CONFIG-EPOCH', i + 1);
  }
  for (const [i, { port }] of nodes.entries()) {
    if (i > 0) await nodes[0]!.redis.call('CLUSTER', 'MEET', '127.0.0.1', port, busPorts[i]!);
  }
  const ids = await Promise.all(masters.map(({ redis }) => redis.cluster('MYID')));
  for (const [i, { redis }] of nodes.slice(3).entries()) {
    await until(() => redis.cluster('REPLICATE', ids[i]!).then(() => true));
  }
  const isWhole = async ({ redis }: Node) =>
    /cluster_state:ok/.test(await redis.cluster('INFO')) &&
    ((await redis.cluster('NODES')) as string).split('\n').filter((line) => line.includes('slave')).length ===
      3;
  for (const node of nodes) await until(() => isWhole(node));
  for (const { redis } of nodes.slice(3))
    await until(async () => (await redis.info('replication')).includes('master_link_status:up'));
  return {
    url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    partUrl: `redis://127.0.0.1:${nodes[1]!.port}`,
    failOver: async () => {
      await kill(nodes[0]!);
      await until(async () => (await nodes[3]!.redis.info('replication')).includes('role:master'));
      await until(async () => /cluster_state:ok/.test(await nodes[1]!.redis.cluster('INFO')));
    },
    stop: () => stopAll(nodes, directory),
  };
}

/** A master with a replica, and three Sentinels. */
export async function startRedisWithSentinels(): Promise<RedisTopology> {
  const directory = await mkdtemp(join(tmpdir(), 'cxp-redis-sentinel-'));
  const master = await startNode(directory, []);
  const replica = await startNode(directory, ['--replicaof', '127.0.0.1', String(master.port)]);
  await until(async () => (await replica.redis.info('replication')).includes('master_link_status:up'));
  const sentinels: Node[] = [];
  for (let i = 0; i < 3; i++) {
    const file = join(directory, `sentinel-${i}.conf`);
    await writeFile(
      file,
      `sentinel monitor main 127.0.0.1 ${master.port} 2\nsentinel down-after-milliseconds main ${NODE_TIMEOUT_MS}\n` +
        'sentinel failover-timeout main 5000\n',
    );
    sentinels.push(await startNode(directory, ['--sentinel'], file));
  }
  for (const { redis } of sentinels) {
    await until(async () => {
      const [info] = (await redis.call('SENTINEL', 'MASTERS')) as string[][];
      const value = (name: string) => Number(info![info!.indexOf(name) + 1]);
      return value('num-slaves') === 1 && value('num-other-sentinels') === 2;
    });
  }
  return {
    url: `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/main`,
    partUrl: `redis://127.0.0.1:${sentinels[0]!.port}`,
    failOver: async () => {
      await kill(master);
      await until(async () => (await replica.redis.info('replication')).includes('role:master'));
    },
    stop: () => stopAll([master, replica, ...sentinels], directory),
  };
}

async function startNode(directory: string, options: string[], configuration?: string): Promise<Node> {
  const { path, env } = await redisBinary();
  const port = await freePort();
  const own = [
    ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
    ...(configuration
      ? []
      : ['--save', '', '--dbfilename', `${port}.rdb`, '--cluster-config-file', `${port}.conf`]),
  ];
  const process = startGuarded({
    command: [path, ...(configuration ? [configuration] : []), ...own, ...options],
    env,
  });
  const redis = new Redis(port, { retryStrategy: () => 100, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  await waitUntilReady(process, () => redis.status === 'ready');
  return { port, process, redis };
}

async function kill({ process, redis }: Node): Promise<void> {
  redis.disconnect();
  process.signal('SIGKILL');
  await process.exited;
}

async function stopAll(nodes: readonly Node[], directory: string): Promise<void> {
  for (const { redis } of nodes) redis.disconnect();
  await Promise.all(nodes.map(({ process }) => process.stop()));
  await rm(directory, { recursive: true, force: true });
}

function until(check: () => Promise<boolean>): Promise<void> {
  return eventually(() => check().catch(() => false), 30_000);
}
