import { Reflector } from '@nestjs/core';
import { ProblemError } from '@cxp/error-envelopes';

/** How many requests one caller may make in a window that starts with the first of them: a throttler of `@nestjs/throttler`. */
export interface RateLimitWindow {
  readonly name: string;
  readonly limit: number;
  /** How long the window lasts, in milliseconds. */
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

/** The limits of a service by name: those of routes without limits of their own, and those of routes with `@ThrottledBy(name)`. */
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

/** The route has limits of its own, by their name. A public route is counted by client address. */
export const ThrottledBy = Reflector.createDecorator<string>();

/** The headers of every answer: `RateLimit-*` of the window with the least left, the policy of all of them. */
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
 * A request that was refused can succeed when every window that is used up has ended: `Retry-After` is that of the last one.
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

/** Of two windows with as much left, the one that lasts longer binds the caller more. */
function isTighter(a: WindowState, b: WindowState): boolean {
  return a.remaining < b.remaining || (a.remaining === b.remaining && a.resetSeconds > b.resetSeconds);
}
