import type { RateLimitWindow } from './rate-limit-windows';

/** The limits of one service: what an organization may do with an endpoint, and how often an address may fail. */
export interface RateLimits {
  readonly authenticated: readonly RateLimitWindow[];
  readonly unauthenticated: readonly RateLimitWindow[];
}

export const RATE_LIMITS = Symbol('rate limits');

export function perSecondAndMinute(perSecond: number, perMinute: number): RateLimitWindow[] {
  return [
    { limit: perSecond, seconds: 1 },
    { limit: perMinute, seconds: 60 },
  ];
}
