import { Reflector } from '@nestjs/core';
import { ProblemError } from '@cxp/error-envelopes';

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
