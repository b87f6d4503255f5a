import { Reflector } from '@nestjs/core';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Redis } from 'ioredis';
import { ProblemError } from '@cxp/error-envelopes';
import { RedisScript } from '@cxp/storage';

/** A throttler of `@nestjs/throttler`, whose window starts with the first request. */
export interface RateLimitWindow {
  readonly name: string;
  readonly limit: number;
  /** Milliseconds. */
  readonly ttl: number;
}

export interface WindowState extends RateLimitWindow {
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface RateLimitVerdict {
  readonly allowed: boolean;
  readonly windows: readonly WindowState[];
}

/** By name: `default` for routes without limits of their own, the others for `@ThrottledBy(name)`. */
export type RateLimits = Readonly<Record<string, readonly RateLimitWindow[]>> & {
  readonly default: readonly RateLimitWindow[];
};

export function perSecondAndMinute<Name extends string>(
  settings: Readonly<Record<`${Name}_PER_SEC_LIMIT` | `${Name}_PER_MIN_LIMIT`, number>>,
  name: Name,
): RateLimitWindow[] {
  const windowOf = (setting: keyof typeof settings, ttl: number) => ({
    name: setting,
    limit: settings[setting],
    ttl,
  });
  return [windowOf(`${name}_PER_SEC_LIMIT`, 1_000), windowOf(`${name}_PER_MIN_LIMIT`, 60_000)];
}

/** The name of the route's own limits. A public route is counted by client address. */
export const ThrottledBy = Reflector.createDecorator<string>();

/** `RateLimit-*` describes the window with the least left; the policy lists all. */
export function rateLimitHeaders({ windows }: RateLimitVerdict): Record<string, string> {
  const tightest = windows.reduce((a, b) => (isTighter(b, a) ? b : a));
  return {
    'RateLimit-Limit': String(tightest.limit),
    'RateLimit-Remaining': String(tightest.remaining),
    'RateLimit-Reset': String(tightest.resetSeconds),
    'RateLimit-Policy': windows.map(({ limit, ttl }) => `${limit};w=${ttl / 1_000}`).join(', '),
  };
}

/**
 * `Retry-After` is the end of the last used-up window.
 * @throws ProblemError 429 if a window is used up
 */
export function rejectIfOver({ allowed, windows }: RateLimitVerdict): void {
  if (allowed) return;
  const last = windows
    .filter(({ remaining }) => remaining === 0)
    .reduce((a, b) => (b.resetSeconds > a.resetSeconds ? b : a));
  const retryAfterSeconds = Math.max(1, last.resetSeconds);
  throw new ProblemError({ code: 'rate_limited', limit: last.name, retryAfterSeconds });
}

/** Of two windows with as much left, the longer binds the caller more. */
function isTighter(a: WindowState, b: WindowState): boolean {
  return a.remaining < b.remaining || (a.remaining === b.remaining && a.resetSeconds > b.resetSeconds);
}

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
