export { ApiThrottlerGuard } from './api-throttler.guard';
export { ConcurrencyLimit, type ConcurrencyLimits } from './concurrency-limit';
export { RateLimitModule } from './rate-limit.module';
export { perSecondAndMinute, ThrottledBy, type RateLimitWindow } from './rate-limits';
export { RedisThrottlerStorage } from './redis-throttler.storage';
