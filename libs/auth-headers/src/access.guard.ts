import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allows } from '@cxp/access';
import { ProblemError } from '@cxp/error-envelopes';
import { rateLimitHeaders, RateLimiter, rejectIfOver } from '@cxp/rate-limit';
import { Authenticator } from './authenticator';
import { ACCESS_RULE, type AccessDeclaration, FOLLOWS_CHANGES } from './decorators';

/** What is fixed for a route. */
interface GuardedRoute {
  readonly rule: AccessDeclaration;
  /** What its calls are counted by, besides the organization. */
  readonly endpoint: string;
  /** Whether calls are counted. */
  readonly isExternal: boolean;
  /** Whether they are counted by the limits of those that follow changes. */
  readonly isFollowing: boolean;
}

/**
 * Lets the callers of a route through. The order is the contract's: who calls (401), may they (401 or 403), how often (429).
 * Calls of `/external` are counted per organization and endpoint, those without the permission, too; failed authentication per client
 * address.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly routes = new WeakMap<object, GuardedRoute>();

  constructor(
    private readonly reflector: Reflector,
    private readonly limiter: RateLimiter,
    private readonly authenticator: Authenticator,
  ) {}

  /** @throws ProblemError why the caller may not */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { rule, endpoint, isExternal, isFollowing } = this.routeOf(context, request);
    if (typeof rule === 'string') return true;
    const reply = http.getResponse<FastifyReply>();

    const principal = await this.authenticator.authenticate(request, rule);
    if ('reason' in principal) {
      const verdict = await this.limiter.countFailure(request.ip);
      if (isExternal) void reply.headers(rateLimitHeaders(verdict));
      rejectIfOver(verdict);
      throw new ProblemError({ code: 'unauthenticated', ...principal });
    }
    request.principal = principal;
    request.accessRule = rule;
    request.statements.addShare(`organization:${principal.organizationId}`);
    const isAllowed = allows(principal.permissions, rule.permission);
    if (isExternal) {
      const caller = `organization:${principal.organizationId}:${endpoint}`;
      const verdict = await this.limiter.countCall(caller, isFollowing);
      void reply.headers(rateLimitHeaders(verdict));
      // However often a call without the permission is made, its answer says that the permission is missing.
      if (isAllowed) rejectIfOver(verdict);
    }
    if (!isAllowed) throw new ProblemError({ code: 'permission_missing', permission: rule.permission });
    return true;
  }

  private routeOf(context: ExecutionContext, request: FastifyRequest): GuardedRoute {
    // Not by the handler, which several controllers can inherit.
    const { url, config } = request.routeOptions;
    const known = this.routes.get(config);
    if (known) return known;
    const handler = context.getHandler();
    const rule = this.reflector.getAllAndOverride<AccessDeclaration | undefined>(ACCESS_RULE, [
      handler,
      context.getClass(),
    ]);
    const endpoint = `${context.getClass().name}.${handler.name}`;
    // A route that declares nothing is a mistake of ours: nobody gets through.
    if (!rule) throw new Error(`${endpoint} declares no access`);
    // Not the URL of the request, which can be written in many ways.
    const isExternal = url?.startsWith('/external') ?? false;
    const isFollowing = this.reflector.get<boolean | undefined>(FOLLOWS_CHANGES, handler) ?? false;
    const route = { rule, endpoint, isExternal, isFollowing };
    this.routes.set(config, route);
    return route;
  }
}
