import { Module, type DynamicModule } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { RateLimiter } from './rate-limiter';
import { RATE_LIMITS, type RateLimits } from './rate-limits';
import { RedisThrottlerStorage } from './redis-throttler.storage';

@Module({})
export class RateLimitModule {
  static forRoot(limits: RateLimits): DynamicModule {
    const throttler = ThrottlerModule.forRootAsync({
      inject: [Redis],
      useFactory: (redis: Redis) => ({
        throttlers: limits.authenticated.map(({ limit, seconds }) => ({
          name: `${seconds}s`,
          limit,
          ttl: seconds * 1_000,
        })),
        storage: new RedisThrottlerStorage(redis),
      }),
    });
    return {
      module: RateLimitModule,
      global: true,
      imports: [throttler],
      providers: [{ provide: RATE_LIMITS, useValue: limits }, RateLimiter],
      exports: [throttler, RATE_LIMITS, RateLimiter],
    };
  }
}
