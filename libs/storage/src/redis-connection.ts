import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { AbstractConnector, Cluster, Redis, type RedisOptions } from 'ioredis';
import { DependencyUnavailableError } from './failures';
import { failureReason, UnusableStoreError } from './store-address';

/** How long a request may wait for Redis before it is answered 503, in milliseconds. */
const REDIS_TIMEOUT_MS = 1_500;

/** How often a command follows a cluster whose slots move. */
const MAX_REDIRECTIONS = 5;

/** The pause before a command is sent again after a node failed or the cluster is down, in milliseconds. */
const CLUSTER_RETRY_MS = 100;

/** What `REDIS_URL` may be. */
export const REDIS_URL_PATTERN = /^rediss?(\+cluster|\+sentinel)?:\/\//;

/** Fail fast while Redis is away, come back by itself. */
const OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: REDIS_TIMEOUT_MS,
  commandTimeout: REDIS_TIMEOUT_MS,
  // A connection that owes an answer for that long is given up; otherwise it would be used until TCP gives up.
  socketTimeout: REDIS_TIMEOUT_MS,
  // A master that became a replica: the one that replaced it is behind the same name, or known to the Sentinels.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
} as const;

/**
 * Connects with what every use of Redis here needs.
 * @param url `redis://host`; `redis+cluster://host,host` for a Redis Cluster; `redis+sentinel://host,host/name` for the master of
 *   that name; with `rediss` for TLS. Ports are 6379 and, of Sentinels, 26379. A user and password are those of the servers;
 *   `?sentinelPassword=` is the Sentinels'. `?sslrootcert=`, `?sslcert=` and `?sslkey=` name files, as in a URL of PostgreSQL.
 * @returns a cluster has the commands of a single Redis
 */
export function connectRedis(url: string): Redis {
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);
  const parsed = parseRedisUrl(url);
  const { nodes, path, parameters, ...credentials } = parsed;
  const tls = credentials.tls ? tlsOptions(parameters) : undefined;
  if (parsed.kind === 'single') {
    return new Redis(url, { ...OPTIONS, tls, enableAutoPipelining: true, retryStrategy });
  }
  const own = { ...OPTIONS, username: credentials.username, password: credentials.password, tls };
  if (parsed.kind === 'sentinel') {
    const [name = '', db = '0'] = path.split('/');
    return new Redis({
      ...own,
      enableAutoPipelining: true,
      retryStrategy,
      sentinels: nodes,
      sentinelRetryStrategy: retryStrategy,
      sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
      enableTLSForSentinelMode: credentials.tls,
      sentinelTLS: own.tls,
      name,
      db: Number(db),
    });
  }
  return new Cluster(nodes, {
    redisOptions: own,
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: REDIS_TIMEOUT_MS,
    maxRedirections: MAX_REDIRECTIONS,
    retryDelayOnFailover: CLUSTER_RETRY_MS,
    retryDelayOnClusterDown: CLUSTER_RETRY_MS,
    retryDelayOnTryAgain: CLUSTER_RETRY_MS,
    // Certificates name hosts.
    ...(own.tls && { dnsLookup: (address, callback) => callback(null, address) }),
  }) as unknown as Redis;
}

/** Another connection to the same Redis, for commands that wait. */
export function duplicateRedis(redis: Redis, options: RedisOptions): Redis {
  const cluster = asCluster(redis);
  if (!cluster) return redis.duplicate(options);
  const { enableAutoPipelining, enableOfflineQueue, ...ofNodes } = options;
  return cluster.duplicate([], {
    enableAutoPipelining,
    enableOfflineQueue,
    redisOptions: { ...cluster.options.redisOptions, ...ofNodes },
  }) as unknown as Redis;
}

/**
 * A connection for SUBSCRIBE. To a cluster it is one to any of its nodes, each time that it connects: what is published to one
 * node is published by all.
 */
export function subscriberOf(redis: Redis, options: RedisOptions): Redis {
  const cluster = asCluster(redis);
  if (!cluster) return redis.duplicate(options);
  return new Redis({
    ...cluster.options.redisOptions,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
    ...options,
    Connector: nodeConnector(cluster),
  } as RedisOptions);
}

/** A cluster is injected as a `Redis`, whose commands it has. */
export function asCluster(redis: unknown): Cluster | undefined {
  return redis instanceof Cluster ? redis : undefined;
}

function nodeConnector(cluster: Cluster): new (options: RedisOptions) => AbstractConnector {
  return class extends AbstractConnector {
    constructor(private readonly options: RedisOptions) {
      super(0);
    }

    override async connect(): ReturnType<AbstractConnector['connect']> {
      this.connecting = true;
      const nodes = cluster.nodes('all');
      const node = nodes[Math.floor(Math.random() * nodes.length)];
      if (!node) throw new DependencyUnavailableError('no node of the Redis Cluster is known');
      const { host, port } = node.options as { host: string; port: number };
      const { tls } = this.options;
      this.stream = tls ? connectTls({ host, port, ...tls }) : createConnection({ host, port });
      return this.stream;
    }
  };
}

/** @throws UnusableStoreError if a file can't be read */
function tlsOptions(parameters: URLSearchParams): ConnectionOptions {
  const read = (name: string) => {
    const file = parameters.get(name);
    try {
      return file ? readFileSync(file) : undefined;
    } catch (error) {
      throw new UnusableStoreError(`REDIS_URL: ${name} can't be read: ${failureReason(error)}`);
    }
  };
  return { ca: read('sslrootcert'), cert: read('sslcert'), key: read('sslkey') };
}

interface ParsedUrl {
  readonly kind: 'single' | 'cluster' | 'sentinel';
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly nodes: { host: string; port: number }[];
  readonly path: string;
  readonly parameters: URLSearchParams;
}

/** `URL` does not read lists of hosts. */
function parseRedisUrl(url: string): ParsedUrl {
  const [, tls, kind = 'single', authority = '', path = '', query = ''] =
    /^redis(s?)(?:\+(cluster|sentinel))?:\/\/([^/?]*)\/?([^?]*)\??(.*)$/.exec(url) ?? [];
  const at = authority.lastIndexOf('@');
  const [username, password] = at < 0 ? [] : authority.slice(0, at).split(':').map(decodeURIComponent);
  const nodes = authority
    .slice(at + 1)
    .split(',')
    .map((node) => {
      const [, host = '', port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(node) ?? [];
      return { host, port: Number(port ?? (kind === 'sentinel' ? 26_379 : 6_379)) };
    });
  return {
    kind: kind as ParsedUrl['kind'],
    tls: tls === 's',
    username: username || undefined,
    password: password || undefined,
    nodes,
    path,
    parameters: new URLSearchParams(query),
  };
}
