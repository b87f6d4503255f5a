import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Redis } from 'ioredis';
import { RedisScript } from '@cxp/storage';
import type { RateLimitVerdict, RateLimitWindow } from './rate-limits';

/**
 * Counts a request in all windows or in none: a refusal costs nothing. KEYS: windows. ARGV: limit and milliseconds of each,
 * then 1, or 0 to count nothing. Returns allowed, then used and milliseconds left of each.
 */
const HIT = new RedisScript<number[]>(`
  local used, left, allowed = {}, {}, 1
  for i, key in ipairs(KEYS) do
    used[i] = tonumber(redis.call('GET', key) or '0')
    left[i] = redis.call('PTTL', key)
    if left[i] < 0 then
      used[i], left[i] = 0, tonumber(ARGV[i * 2])
    end
    if used[i] >= tonumber(ARGV[i * 2 - 1]) then allowed = 0 end
  end
  local answer = { allowed }
  for i, key in ipairs(KEYS) do
    if allowed == 1 and ARGV[#ARGV] == '1' then
      used[i] = used[i] + 1
      if used[i] == 1 then redis.call('SET', key, 1, 'PX', left[i]) else redis.call('INCR', key) end
    end
    answer[#answer + 1] = used[i]
    answer[#answer + 1] = left[i]
  end
  return answer
`);

/** Counts in Redis, so that all processes of a service share an allowance. */
export class RedisThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly redis: Redis) {}

  /**
   * One round trip for all windows.
   * @param hits 0 answers without counting
   */
  async hit(caller: string, windows: readonly RateLimitWindow[], hits: 0 | 1 = 1): Promise<RateLimitVerdict> {
    // The braces keep a caller's windows on one node of a Redis cluster.
    const keys = windows.map(({ ttl }) => `rate-limit:{${caller}}:${ttl / 1_000}`);
    const args = windows.flatMap(({ limit, ttl }) => [limit, ttl]);
    const [allowed, ...counts] = await HIT.run(this.redis, keys, [...args, hits]);
    return {
      allowed: allowed === 1,
      // A spread would cost more than the rest of the method.
      windows: windows.map(({ name, limit, ttl }, i) => ({
        name,
        limit,
        ttl,
        remaining: Math.max(0, limit - counts[i * 2]!),
        resetSeconds: Math.ceil(counts[i * 2 + 1]! / 1_000),
      })),
    };
  }

  /** The package's interface takes one window at a time. */
  async increment(
    key: string,
    ttl: number,
    limit: number,
  ): Promise<Awaited<ReturnType<ThrottlerStorage['increment']>>> {
    const { allowed, windows } = await this.hit(key, [{ name: key, limit, ttl }]);
    const { remaining, resetSeconds } = windows[0]!;
    return {
      totalHits: limit - remaining,
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: allowed ? 0 : resetSeconds,
    };
  }
}
