import { Module, type DynamicModule } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { ApiThrottlerGuard } from './api-throttler.guard';
import type { RateLimitWindow } from './rate-limits';
import { RedisThrottlerStorage } from './redis-throttler.storage';

/** The package's module with the limits of a service, counted in Redis. */
@Module({})
export class RateLimitModule {
  static forRoot(windows: readonly RateLimitWindow[]): DynamicModule {
    const throttler = ThrottlerModule.forRootAsync({
      inject: [Redis],
      useFactory: (redis: Redis) => ({ throttlers: [...windows], storage: new RedisThrottlerStorage(redis) }),
    });
    return {
      module: RateLimitModule,
      global: true,
      imports: [throttler],
      providers: [ApiThrottlerGuard],
      exports: [ApiThrottlerGuard],
    };
  }
}
