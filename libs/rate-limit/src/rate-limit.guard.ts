import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  getOptionsToken,
  ThrottlerGuard,
  ThrottlerStorage,
  type ThrottlerModuleOptions,
} from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access, Principal } from '@cxp/auth-headers';
import { ProblemError } from '@cxp/error-envelopes';
import { RATE_LIMITS, type RateLimits } from './rate-limits';
import { rateLimitHeaders, retryAfterSeconds } from './rate-limit-windows';
import { RedisThrottlerStorage } from './redis-throttler.storage';

/**
 * Limits `/external`: authenticated calls per organization and endpoint, failed authentication per client address.
 * The throttler's own guard counts each named window with a call of its own and names its headers after them.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  constructor(
    @Inject(getOptionsToken()) options: ThrottlerModuleOptions,
    @Inject(ThrottlerStorage) private readonly storage: RedisThrottlerStorage,
    reflector: Reflector,
    @Inject(RATE_LIMITS) private readonly limits: RateLimits,
  ) {
    super(options, storage, reflector);
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const access: Access | undefined = request.access;
    if (!access) return true;

    const external = request.routeOptions.url?.startsWith('/external') ?? false;
    const authenticated = 'principal' in access;
    if (authenticated && !external) return true;

    const verdict = authenticated
      ? await this.storage.consume(endpointOf(access.principal, context), this.limits.authenticated)
      : await this.storage.consume(`address:${await this.getTracker(request)}`, this.limits.unauthenticated);
    if (external) void http.getResponse<FastifyReply>().headers(rateLimitHeaders(verdict));
    // A missing permission is told as such however often it is asked for.
    if (verdict.allowed || (!access.granted && access.reason === 'permission_missing')) return true;
    throw new ProblemError({ code: 'rate_limited', retryAfterSeconds: retryAfterSeconds(verdict) });
  }
}

function endpointOf({ organizationId }: Principal, context: ExecutionContext): string {
  return `organization:${organizationId}:${context.getClass().name}.${context.getHandler().name}`;
}
