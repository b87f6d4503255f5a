import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Inject, Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { failureReason, storeAddress, UnusableStoreError } from './failures';

/** 6.2 brought LPOP with a count and GETEX. */
const MIN_VERSION = [6, 2] as const;

@Module({})
export class RedisModule implements OnApplicationShutdown {
  private static readonly logger = new Logger(RedisModule.name);

  constructor(@Inject(Redis) private readonly redis: Redis) {}

  static forRoot(url: string): DynamicModule {
    return {
      module: RedisModule,
      global: true,
      providers: [{ provide: Redis, useFactory: () => RedisModule.connect(url) }],
      exports: [Redis],
    };
  }

  private static async connect(url: string): Promise<Redis> {
    const redis = connectRedis(url);
    let reported: string | undefined;
    // Without a listener a refused connection would end the process; commands report the failure.
    redis.on('error', (error: unknown) => {
      const reason = reasonOf(error);
      if (reason === reported) return;
      reported = reason;
      RedisModule.logger.warn(`Redis at ${storeAddress(url)} can't be used: ${reason}; trying again`);
    });
    redis.on('ready', () => (reported = undefined));
    try {
      await new Promise((resolve) => redis.once('ready', resolve));
      await checkServer(redis, url);
    } catch (error) {
      redis.disconnect();
      throw error;
    }
    return redis;
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}

/** @throws UnusableStoreError */
async function checkServer(redis: Redis, url: string): Promise<void> {
  // A server that forbids INFO, or became unavailable, is accepted.
  const info = await redis.info('server').catch(() => '');
  const value = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  const at = `Redis at ${storeAddress(url)}`;
  const mode = value('redis_mode');
  if (mode === 'cluster' && !((redis as Redis | Cluster) instanceof Cluster)) {
    throw new UnusableStoreError(`${at} is a node of a Redis Cluster: REDIS_URL must be redis+cluster://…`);
  }
  if (mode === 'sentinel') {
    throw new UnusableStoreError(
      `${at} is a Sentinel: REDIS_URL must be redis+sentinel://…/<name of the master>`,
    );
  }
  const version = value('redis_version');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [minMajor, minMinor] = MIN_VERSION;
  if (version && (major < minMajor || (major === minMajor && minor < minMinor))) {
    throw new UnusableStoreError(`${at} is version ${version}: ${MIN_VERSION.join('.')} or newer is needed`);
  }
}

/** A cluster's error lacks the reason, which the last error of its nodes has. */
function reasonOf(error: unknown): string {
  const last = error instanceof Error && 'lastNodeError' in error ? error.lastNodeError : undefined;
  return last ? `${failureReason(error)} ${failureReason(last)}` : failureReason(error);
}

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

/**
 * Sent by its hash. ioredis's `defineCommand` trusts, inside an automatic pipeline, that Redis still has the script: after a
 * failover or SCRIPT FLUSH, every call would fail for up to a minute.
 */
export class RedisScript<Result> {
  private readonly sha1: string;

  constructor(private readonly source: string) {
    this.sha1 = createHash('sha1').update(source).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<Result> {
    try {
      return (await redis.evalsha(this.sha1, keys.length, ...keys, ...args)) as Result;
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return (await redis.eval(this.source, keys.length, ...keys, ...args)) as Result;
    }
  }
}
