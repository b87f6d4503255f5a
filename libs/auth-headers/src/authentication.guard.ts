import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AccountSessionVerifier, allows, ApiTokenVerifier } from '@cxp/access';
import { readAuthHeaders, type AuthHeaders } from './auth-headers';
import { ACCESS_RULE, type AccessDeclaration, type AccessRule } from './decorators';
import type { Access, Principal } from './principal';

/**
 * Finds out who is calling and whether they may, and leaves the outcome on the request: rate limits come between
 * finding out and answering, so `AccessGuard` answers after them.
 */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiTokens: ApiTokenVerifier,
    @Inject(AccountSessionVerifier) private readonly accountSessions: AccountSessionVerifier | null,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rule = accessRule(this.reflector, context);
    if (typeof rule === 'string') return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    request.access = await this.decide(request, rule);
    return true;
  }

  private async decide(request: FastifyRequest, rule: AccessRule): Promise<Access> {
    const headers = readAuthHeaders(request.headers);
    const known = headers && rule.authTypes.includes(headers.authType);
    const principal = known ? await this.identify(headers) : undefined;
    if (!principal || principal.organizationId !== headers?.organizationId) {
      return { granted: false, reason: 'unauthenticated' };
    }
    return allows(principal.permissions, rule.permission)
      ? { granted: true, principal }
      : { granted: false, reason: 'permission_missing', principal };
  }

  private async identify({ token, authType }: AuthHeaders): Promise<Principal | undefined> {
    if (authType === 'token') {
      const found = await this.apiTokens.verify(token);
      return found && { ...found, authType, subject: found.id };
    }
    const session = await this.accountSessions?.verify(token);
    return session && { ...session, authType, subject: session.accountId };
  }
}

/** A route that declares nothing is a mistake of ours: nobody gets through. */
export function accessRule(reflector: Reflector, context: ExecutionContext): AccessDeclaration {
  const rule = reflector.getAllAndOverride<AccessDeclaration | undefined>(ACCESS_RULE, [
    context.getHandler(),
    context.getClass(),
  ]);
  if (!rule) throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no access`);
  return rule;
}
