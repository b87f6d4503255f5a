import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AccountSessionVerifier, allows, ApiTokenVerifier } from '@cxp/access';
import { ProblemError } from '@cxp/error-envelopes';
import { RateLimiter } from '@cxp/rate-limit';
import { readAuthHeaders } from './auth-headers';
import type { AccessRule } from './decorators';
import type { Principal } from './principal';

/** Finds out who is calling. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly apiTokens: ApiTokenVerifier,
    @Inject(AccountSessionVerifier) private readonly accountSessions: AccountSessionVerifier | null,
  ) {}

  /** @returns undefined if the credentials are missing, wrong, of another organization or of a type that the route does not accept */
  async authenticate(request: FastifyRequest, { authTypes }: AccessRule): Promise<Principal | undefined> {
    const headers = readAuthHeaders(request.headers);
    if (!headers || !authTypes.includes(headers.authType)) return undefined;
    const { token, authType, organizationId } = headers;
    if (authType === 'token') {
      const found = await this.apiTokens.verify(token, () => this.guessesTooOften(request));
      if (found?.organizationId !== organizationId) return undefined;
      return { organizationId, authType, subject: found.id, permissions: found.permissions };
    }
    const session = await this.accountSessions?.verify(token);
    if (session?.organizationId !== organizationId) return undefined;
    return { organizationId, authType, subject: session.accountId, permissions: session.permissions };
  }

  /**
   * For a request that waited: its token may have been revoked, or have expired, since it was let through.
   * @throws ProblemError as `AccessGuard`
   */
  async confirmAccess(request: FastifyRequest): Promise<void> {
    const rule = request.accessRule!;
    const principal = await this.authenticate(request, rule);
    if (!principal) throw new ProblemError({ code: 'unauthenticated' });
    if (!allows(principal.permissions, rule.permission))
      throw new ProblemError({ code: 'permission_missing' });
  }

  private async guessesTooOften({ ip }: FastifyRequest): Promise<boolean> {
    return !(await this.limiter.failuresOf(ip)).allowed;
  }
}
