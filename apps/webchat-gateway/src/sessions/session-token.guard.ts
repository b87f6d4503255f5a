import {
  createParamDecorator,
  Inject,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';
import {
  RATE_LIMITS,
  rateLimitHeaders,
  retryAfterSeconds,
  type RateLimits,
  type RedisThrottlerStorage,
} from '@cxp/rate-limit';
import { SessionRepository } from './session.repository';
import { SessionTokenService, type SessionTokenClaims } from './session-token.service';

const BEARER = /^bearer +(\S+) *$/i;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `SessionTokenGuard`. */
    sessionToken?: SessionTokenClaims;
  }
}

/** Lets customers through, by the token of their live session; limits are counted for each session. */
@Injectable()
export class SessionTokenGuard implements CanActivate {
  constructor(
    private readonly tokens: SessionTokenService,
    private readonly sessions: SessionRepository,
    @Inject(ThrottlerStorage) private readonly storage: RedisThrottlerStorage,
    @Inject(RATE_LIMITS) private readonly limits: RateLimits,
  ) {}

  /** @throws ProblemError 401, or 429 over the limit */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const claims = await this.identify(request);
    const verdict = claims
      ? await this.storage.consume(`session:${claims.sid}`, this.limits.authenticated)
      : await this.storage.consume(`address:${request.ip}`, this.limits.unauthenticated);
    void context.switchToHttp().getResponse<FastifyReply>().headers(rateLimitHeaders(verdict));
    if (!verdict.allowed) {
      throw new ProblemError({ code: 'rate_limited', retryAfterSeconds: retryAfterSeconds(verdict) });
    }
    if (!claims) throw new ProblemError({ code: 'unauthenticated' });
    request.sessionToken = claims;
    return true;
  }

  private async identify({ headers }: FastifyRequest): Promise<SessionTokenClaims | undefined> {
    const token = BEARER.exec(headers.authorization ?? '')?.[1];
    const claims = token && this.tokens.verify(token);
    return claims && (await this.sessions.isLive(claims.organization_id, claims.sid)) ? claims : undefined;
  }
}

/** What the request's session token says. */
export const SessionToken = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const claims = context.switchToHttp().getRequest<FastifyRequest>().sessionToken;
  if (!claims) throw new Error('the route is not checked by SessionTokenGuard');
  return claims;
});
