import type { RateLimitWindow } from './rate-limit-windows';

/** The limits of one service: what an organization may do with an endpoint, and how often an address may fail. */
export interface RateLimits {
  readonly authenticated: readonly RateLimitWindow[];
  /** Instead of `authenticated`, of the endpoints that follow changes. */
  readonly following?: readonly RateLimitWindow[];
  readonly unauthenticated: readonly RateLimitWindow[];
}

export const RATE_LIMITS = Symbol('rate limits');

/** The windows of two settings: `<name>_PER_SEC_LIMIT` and `<name>_PER_MIN_LIMIT`. */
export function perSecondAndMinute<Name extends string>(
  settings: Readonly<Record<`${Name}_PER_SEC_LIMIT` | `${Name}_PER_MIN_LIMIT`, number>>,
  name: Name,
): RateLimitWindow[] {
  const windowOf = (setting: keyof typeof settings, seconds: number) => ({
    setting,
    limit: settings[setting],
    seconds,
  });
  return [windowOf(`${name}_PER_SEC_LIMIT`, 1), windowOf(`${name}_PER_MIN_LIMIT`, 60)];
}
