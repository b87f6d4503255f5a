import { Inject, Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { RATE_LIMITS, type RateLimits } from './rate-limits';
import type { RateLimitVerdict } from './rate-limit-windows';
import { RedisThrottlerStorage } from './redis-throttler.storage';

/**
 * The caller that a client address is counted as: the address itself, or the /64 network of an IPv6 address, which one
 * client has all of. An IPv4 address that is written as IPv6 is the IPv4 address.
 */
export function callerOfAddress(address: string): string {
  return normalizeIp(address);
}

/** Counts calls. Of `@nestjs/throttler` only the storage interface and the address rule are used: tools/decisions/0010. */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly storage: RedisThrottlerStorage,
    @Inject(RATE_LIMITS) private readonly limits: RateLimits,
  ) {}

  /** Counts a call of a caller who is known: an organization and endpoint, or a session. */
  countCall(caller: string, isFollowing = false): Promise<RateLimitVerdict> {
    const { authenticated, following = authenticated } = this.limits;
    return this.storage.consume(caller, isFollowing ? following : authenticated);
  }

  /** Counts an authentication that failed. */
  countFailure(address: string): Promise<RateLimitVerdict> {
    return this.storage.consume(`address:${callerOfAddress(address)}`, this.limits.unauthenticated);
  }

  /** Whether one more failed authentication of the address would be over the limit; counts nothing. */
  failuresOf(address: string): Promise<RateLimitVerdict> {
    return this.storage.inspect(`address:${callerOfAddress(address)}`, this.limits.unauthenticated);
  }
}
