import { readFileSync } from 'node:fs';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { failureReason, UnusableStoreError } from './store-address';

/** Milliseconds that a request waits for Redis before it is a 503. */
const REDIS_TIMEOUT_MS = 1_500;

/**
 * `redis://host`; `redis+cluster://host,host` for a Redis Cluster; `redis+sentinel://host,host/name` for the master of that
 * name; `rediss` for TLS.
 */
export const REDIS_URL_PATTERN =
  /^redis(s?)(\+cluster|\+sentinel)?:\/\/(?:([^@/]*)@)?([^/?]+)\/?([^?]*)(\?.*)?$/;

const retryStrategy = (attempt: number) => Math.min(attempt * 50, 1_000);

/** Commands fail fast while Redis is unavailable; the connection returns by itself. */
const OPTIONS = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: REDIS_TIMEOUT_MS,
  commandTimeout: REDIS_TIMEOUT_MS,
  // Closes a connection that owes an answer for that long; TCP would take minutes.
  socketTimeout: REDIS_TIMEOUT_MS,
  // The master became a replica: its successor has the same name, or the Sentinels know it.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
  retryStrategy,
} as const;

/**
 * @param url ports default to 6379, of Sentinels 26379. `?sentinelPassword=` is the Sentinels'. `?sslrootcert=`, `?sslcert=`
 * and `?sslkey=` name files
 * @returns a cluster has the commands of a single Redis
 */
export function connectRedis(url: string): Redis {
  const [, tls, kind, credentials, hosts = '', path = '', query] = REDIS_URL_PATTERN.exec(url) ?? [];
  const parameters = new URLSearchParams(query);
  const options = { ...OPTIONS, tls: tls ? tlsOptions(parameters) : undefined };
  if (!kind) return new Redis(url, { ...options, enableAutoPipelining: true });
  const nodes = hosts.split(',').map((node) => {
    const [, host, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(node)!;
    return { host, port: Number(port ?? (kind === '+sentinel' ? 26_379 : 6_379)) };
  });
  // The password may contain colons.
  const [, ...names] = /^([^:]*):?(.*)$/s.exec(credentials ?? '')!;
  const [username, password] = names.map((text) => decodeURIComponent(text) || undefined);
  const own = { ...options, username, password };
  if (kind === '+cluster') {
    return new Cluster(nodes, {
      redisOptions: own,
      enableAutoPipelining: true,
      enableOfflineQueue: false,
      clusterRetryStrategy: retryStrategy,
      slotsRefreshTimeout: REDIS_TIMEOUT_MS,
      maxRedirections: 5,
      // Certificates name hosts, so hosts are not resolved.
      ...(own.tls && { dnsLookup: (address, callback) => callback(null, address) }),
    }) as unknown as Redis;
  }
  const [name, db = 0] = path.split('/');
  return new Redis({
    ...{ ...own, enableAutoPipelining: true, sentinels: nodes, name, db: Number(db) },
    sentinelRetryStrategy: retryStrategy,
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
    enableTLSForSentinelMode: Boolean(tls),
    sentinelTLS: own.tls,
  });
}

/** Any node of a cluster, another one each time: nodes forward what is published. */
export function subscriberOf(redis: Redis | Cluster, options: RedisOptions): Redis {
  if (!(redis instanceof Cluster)) return redis.duplicate(options);
  const anyNode = () => {
    const nodes = redis.nodes('all');
    const { host, port } = nodes[Math.floor(Math.random() * nodes.length)]?.options ?? {};
    return { host, port };
  };
  const subscriber = new Redis({ ...redis.options.redisOptions, ...options, ...anyNode() });
  return subscriber.on('close', () => Object.assign(subscriber.options, anyNode()));
}

/** @throws UnusableStoreError if a file can't be read */
function tlsOptions(parameters: URLSearchParams): RedisOptions['tls'] {
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
