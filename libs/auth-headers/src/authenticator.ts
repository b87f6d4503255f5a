import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  AccountSessionVerifier,
  allows,
  ApiTokenVerifier,
  SERVICE_PERMISSION,
  ServiceTokenVerifier,
} from '@cxp/access';
import { ProblemError, type AuthenticationFailure } from '@cxp/error-envelopes';
import { readAuthHeaders } from './auth-headers';
import type { AccessRule, Principal } from './decorators';

/** Why the credentials of a request are refused; the header that is missing, if one is. */
export interface RefusedCredentials {
  readonly reason: AuthenticationFailure;
  readonly header?: string;
}

/** Finds out who is calling. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly apiTokens: ApiTokenVerifier,
    @Inject(AccountSessionVerifier) private readonly accountSessions: AccountSessionVerifier | null,
    @Inject(ServiceTokenVerifier) private readonly serviceTokens: ServiceTokenVerifier | null,
  ) {}

  /** @returns who calls, or what is wrong with the credentials */
  async authenticate(
    request: FastifyRequest,
    { authTypes, permission }: AccessRule,
  ): Promise<Principal | RefusedCredentials> {
    const headers = readAuthHeaders(request.headers);
    if ('missing' in headers) return { reason: 'missing_header', header: headers.missing };
    const { token, authType, organizationId } = headers;
    if (!authTypes.includes(authType)) return { reason: 'auth_type_not_accepted' };
    const found = await (authType === 'account'
      ? (this.accountSessions?.verify(token) ?? ('auth_type_not_accepted' as const))
      : this.serviceTokens && permission === SERVICE_PERMISSION && ServiceTokenVerifier.isCandidate(token)
        ? this.serviceTokens.verify(token)
        : this.apiTokens.verify(token));
    if (typeof found === 'string') return { reason: found };
    if (found.organizationId !== organizationId) return { reason: 'organization_mismatch' };
    const subject = 'id' in found ? found.id : 'accountId' in found ? found.accountId : found.service;
    return { organizationId, authType, subject, permissions: found.permissions };
  }

  /**
   * For a request that waited: its token may have been revoked, or have expired, since it was let through.
   * @throws ProblemError as `AuthenticationGuard` and `PermissionGuard`
   */
  async confirmAccess(request: FastifyRequest): Promise<void> {
    const rule = request.accessRule!;
    const principal = await this.authenticate(request, rule);
    if ('reason' in principal) throw new ProblemError({ code: 'unauthenticated', ...principal });
    const { permission } = rule;
    if (!allows(principal.permissions, permission))
      throw new ProblemError({ code: 'permission_missing', permission });
  }
}
