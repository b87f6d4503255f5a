export { RateLimitGuard } from './rate-limit.guard';
export { RateLimitModule } from './rate-limit.module';
export { perSecondAndMinute, type RateLimits } from './rate-limits';
export { RedisThrottlerStorage } from './redis-throttler.storage';
export { rateLimitHeaders, type RateLimitVerdict, type RateLimitWindow } from './rate-limit-windows';
