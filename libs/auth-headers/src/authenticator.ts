import type { IncomingHttpHeaders } from 'node:http';
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
import type { AccessRule, Principal } from './decorators';

export const AUTH_TYPES = ['token', 'account'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** The content of the three headers that every endpoint requires. None of it is verified yet. */
export interface AuthHeaders {
  readonly token: string;
  readonly organizationId: string;
  readonly authType: AuthType;
}

const BEARER = /^bearer +(\S+) *$/i;

/** @returns which one of `authorization`, `organization-id`, `auth-type` is missing or malformed, if one is */
export function readAuthHeaders(headers: IncomingHttpHeaders): AuthHeaders | { readonly missing: string } {
  const token = bearerToken(headers);
  const organizationId = singleValue(headers['organization-id'])?.trim();
  const authType = AUTH_TYPES.find((type) => type === singleValue(headers['auth-type'])?.trim());
  if (!token) return { missing: 'authorization' };
  if (!organizationId) return { missing: 'organization-id' };
  return authType ? { token, organizationId, authType } : { missing: 'auth-type' };
}

/** The token of `authorization: Bearer <token>`; the name of the scheme is case-insensitive. */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

function singleValue(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

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
   * @throws ProblemError 401, or by area 403
   */
  async confirmAccess(request: FastifyRequest): Promise<void> {
    const rule = request.routeOptions.config.access!;
    const principal = await this.authenticate(request, rule);
    if ('reason' in principal) throw new ProblemError({ code: 'unauthenticated', ...principal });
    const { permission } = rule;
    if (!allows(principal.permissions, permission))
      throw new ProblemError({ code: 'permission_missing', permission });
  }
}
