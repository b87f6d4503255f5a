import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';

/** How long a request may wait for Redis before it is answered 503, in milliseconds. */
const REDIS_TIMEOUT_MS = 1_500;

/** Connects with what every use of Redis here needs: fail fast while it is away, come back by itself. */
export function connectRedis(url: string): Redis {
  return new Redis(url, {
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: REDIS_TIMEOUT_MS,
    commandTimeout: REDIS_TIMEOUT_MS,
    // A connection that owes an answer for that long is given up; otherwise it would be used until TCP gives up.
    socketTimeout: REDIS_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 50, 1_000),
  });
}

/** One connection per service, injected as ioredis's `Redis`. */
@Module({})
export class RedisModule implements OnApplicationShutdown {
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
    // Without a listener a refused connection would end the process; commands report the failure themselves.
    redis.on('error', () => undefined);
    await new Promise<void>((resolve) => redis.once('ready', resolve));
    return redis;
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
