import { Inject, Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Cluster, Redis } from 'ioredis';
import { connectRedis } from './redis-connection';
import { failureReason, storeAddress, UnusableStoreError } from './store-address';

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
