import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Redis } from 'ioredis';
import { RedisScript } from '@cxp/storage';
import type { RateLimitVerdict, RateLimitWindow } from './rate-limit-windows';

/**
 * Counts one request in all windows, or in none: a request that is refused costs the caller nothing.
 * KEYS: one per window. ARGV: limit and milliseconds of each. Returns allowed, then used and milliseconds left of each.
 */
const CONSUME = new RedisScript<number[]>(`
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
    if allowed == 1 then
      used[i] = used[i] + 1
      if used[i] == 1 then redis.call('SET', key, 1, 'PX', left[i]) else redis.call('INCR', key) end
    end
    answer[#answer + 1] = used[i]
    answer[#answer + 1] = left[i]
  end
  return answer
`);

/** Counts in Redis, so that all processes of a service share one allowance, exactly. */
@Injectable()
export class RedisThrottlerStorage implements ThrottlerStorage {
  constructor(private readonly redis: Redis) {}

  /** One round trip for all windows of a caller. */
  async consume(caller: string, windows: readonly RateLimitWindow[]): Promise<RateLimitVerdict> {
    const args = windows.flatMap(({ limit, seconds }) => [limit, seconds * 1_000]);
    const [allowed, ...counts] = await CONSUME.run(this.redis, keysOf(caller, windows), args);
    return verdictOf(allowed === 1, windows, counts);
  }

  /** What `consume` would answer, without counting. */
  async inspect(caller: string, windows: readonly RateLimitWindow[]): Promise<RateLimitVerdict> {
    const states = await Promise.all(
      keysOf(caller, windows).map((key) => Promise.all([this.redis.get(key), this.redis.pttl(key)])),
    );
    const counts = windows.map(({ seconds }, i) => {
      const [used, left] = states[i]!;
      return left > 0 ? { used: Number(used), left } : { used: 0, left: seconds * 1_000 };
    });
    return verdictOf(
      windows.every(({ limit }, i) => counts[i]!.used < limit),
      windows,
      counts.flatMap(({ used, left }) => [used, left]),
    );
  }

  /** The throttler's own interface, one window at a time. */
  async increment(
    key: string,
    ttl: number,
    limit: number,
  ): Promise<Awaited<ReturnType<ThrottlerStorage['increment']>>> {
    const { allowed, windows } = await this.consume(key, [{ setting: key, limit, seconds: ttl / 1_000 }]);
    const { remaining, resetSeconds } = windows[0]!;
    return {
      totalHits: limit - remaining,
      timeToExpire: resetSeconds,
      isBlocked: !allowed,
      timeToBlockExpire: allowed ? 0 : resetSeconds,
    };
  }
}

/** The braces keep a caller's windows on one node of a Redis cluster. */
function keysOf(caller: string, windows: readonly RateLimitWindow[]): string[] {
  return windows.map(({ seconds }) => `rate-limit:{${caller}}:${seconds}`);
}

/** @param counts used, and milliseconds left, of each window */
function verdictOf(
  allowed: boolean,
  windows: readonly RateLimitWindow[],
  counts: readonly number[],
): RateLimitVerdict {
  return {
    allowed,
    // Named one by one: a spread costs more than the rest of the method.
    windows: windows.map(({ setting, limit, seconds }, i) => ({
      setting,
      limit,
      seconds,
      remaining: Math.max(0, limit - counts[i * 2]!),
      resetSeconds: Math.ceil(counts[i * 2 + 1]! / 1_000),
    })),
  };
}
