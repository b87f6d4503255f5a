export { ConcurrencyLimit, type ConcurrencyLimits } from './concurrency-limit';
export { callerOfAddress, RateLimiter } from './rate-limiter';
export { RateLimitModule } from './rate-limit.module';
export { perSecondAndMinute, RATE_LIMITS, type RateLimits } from './rate-limits';
export { RedisThrottlerStorage } from './redis-throttler.storage';
export {
  rateLimitHeaders,
  rejectIfOver,
  type RateLimitVerdict,
  type RateLimitWindow,
} from './rate-limit-windows';
