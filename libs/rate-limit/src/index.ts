export { ApiThrottlerGuard, RateLimitModule } from './api-throttler.guard';
export { ClientAddresses } from './client-addresses';
export { ConcurrencyLimit, type ConcurrencyLimits } from './concurrency-limit';
export { perSecondAndMinute, ThrottledBy, type RateLimits } from './rate-limits';
