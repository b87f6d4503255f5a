import { Module, type DynamicModule } from '@nestjs/common';
import { RateLimiter } from './rate-limiter';
import { RATE_LIMITS, type RateLimits } from './rate-limits';
import { RedisThrottlerStorage } from './redis-throttler.storage';

@Module({})
export class RateLimitModule {
  static forRoot(limits: RateLimits): DynamicModule {
    return {
      module: RateLimitModule,
      global: true,
      providers: [{ provide: RATE_LIMITS, useValue: limits }, RedisThrottlerStorage, RateLimiter],
      exports: [RATE_LIMITS, RedisThrottlerStorage, RateLimiter],
    };
  }
}
