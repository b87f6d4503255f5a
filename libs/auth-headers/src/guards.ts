import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allows } from '@cxp/access';
import { ProblemError } from '@cxp/error-envelopes';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { Authenticator } from './authenticator';
import { ACCESS_RULE, principalOf, type AccessDeclaration, type Principal } from './decorators';
import { FailedAuthentication } from './failed-authentication';

/** The first of three global guards: it identifies the caller (401). `PermissionGuard` and `ApiThrottlerGuard` follow. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  private readonly rules = new WeakMap<object, AccessDeclaration>();

  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly failures: FailedAuthentication,
  ) {}

  /** @throws ProblemError 401, or 429 if the client address has failed too often */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const rule = this.ruleOf(context, request);
    if (typeof rule === 'string') return true;
    const principal = await this.failures.limit<Principal>(request, http.getResponse<FastifyReply>(), () =>
      this.authenticator.authenticate(request, rule),
    );
    request.principal = principal;
    request.accessRule = rule;
    request.caller = `organization:${principal.organizationId}`;
    return true;
  }

  private ruleOf(context: ExecutionContext, { routeOptions: { config } }: FastifyRequest): AccessDeclaration {
    // Not by the handler, which several controllers can inherit.
    const known = this.rules.get(config);
    if (known) return known;
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const rule = this.reflector.getAllAndOverride<AccessDeclaration | undefined>(ACCESS_RULE, [
      handler,
      controller,
    ]);
    // A route that declares no access is a mistake of ours: it refuses all callers.
    if (!rule) throw new Error(`${controller.name}.${handler.name} declares no access`);
    this.rules.set(config, rule);
    return rule;
  }
}

/** Lets a caller through that has the permission of the route. A refusal is not counted: its answer has the headers of the limits all the same. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly throttler: ApiThrottlerGuard) {}

  /** @throws ProblemError 401 or 403, by area */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { principal, accessRule } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!principal || !accessRule || allows(principal.permissions, accessRule.permission)) return true;
    return this.refuse(context, accessRule.permission);
  }

  private async refuse(context: ExecutionContext, permission: string): Promise<never> {
    await this.throttler.describe(context);
    throw new ProblemError({ code: 'permission_missing', permission });
  }
}

/**
 * An `organizationId` of the body, or of the query of a request without a body, has to name the authenticated organization. It is checked
 * before any other field or parameter.
 */
@Injectable()
export class OrganizationMatchGuard implements CanActivate {
  /** @throws ProblemError 401 or 403, by area */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { organizationId } = (request.body ?? request.query) as { organizationId?: unknown };
    const isNamed = typeof organizationId === 'string' && organizationId !== '';
    if (isNamed && organizationId !== principalOf(request).organizationId) {
      throw new ProblemError({ code: 'organization_mismatch' });
    }
    return true;
  }
}
