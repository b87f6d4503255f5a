import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken, LimitedAuthentication, type RefusedCredentials } from '@cxp/auth-headers';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { SessionRepository } from './session.repository';
import { SessionService, type SessionOfToken } from './session.service';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `SessionTokenGuard`. */
    sessionOfToken?: SessionOfToken;
  }
}

/** Pages of any site may call these endpoints. The token in the header is the only credential; there are no cookies. */
export const ANY_ORIGIN = ['access-control-allow-origin', '*'] as const;

/** Pages may read these headers: the reason of a refusal, and when to retry. */
const READABLE_HEADERS =
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, RateLimit-Policy, Retry-After, X-Error-Code, X-Error-Detail, X-Request-Id';

/** Authenticates customers by the token of a live session, and counts limits by session and endpoint. */
@Injectable()
export class SessionTokenGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionService,
    private readonly repository: SessionRepository,
    private readonly limited: LimitedAuthentication,
    private readonly throttler: ApiThrottlerGuard,
  ) {}

  /** @throws ProblemError 401, or 429 over the limit */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    void reply.header(...ANY_ORIGIN).header('access-control-expose-headers', READABLE_HEADERS);
    const session = await this.limited.authenticate<SessionOfToken>(request, reply, () =>
      this.identify(request),
    );
    request.sessionOfToken = session;
    request.caller = `session:${session.sessionId}`;
    request.holder = `organization:${session.organizationId}`;
    return this.throttler.canActivate(context);
  }

  private async identify({ headers }: FastifyRequest): Promise<SessionOfToken | RefusedCredentials> {
    const token = bearerToken(headers);
    if (!token) return { reason: 'missing_header', header: 'authorization' };
    const session = this.sessions.ofToken(token);
    if (typeof session === 'string') return { reason: session };
    const isLive = await this.repository.isLive(session.organizationId, session.sessionId);
    return isLive ? session : { reason: 'expired_token' };
  }
}

export const OwnSession = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const session = context.switchToHttp().getRequest<FastifyRequest>().sessionOfToken;
  if (!session) throw new Error('the route is not checked by SessionTokenGuard');
  return session;
});
