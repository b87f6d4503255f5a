import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { allows } from './access/permissions';
import { ProblemError } from '@cxp/error-envelopes';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { ACCESS_RULE, principalOf, type AccessDeclaration } from './decorators';

/** Checks the route's permission. A refusal is not counted, but its answer has the limits' headers. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly throttler: ApiThrottlerGuard,
  ) {}

  /** @throws ProblemError 401 or 403, by area */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const rule = this.reflector.getAllAndOverride<AccessDeclaration | undefined>(ACCESS_RULE, [
      handler,
      controller,
    ]);
    // A route without a declaration is our mistake: it refuses all callers.
    if (!rule) throw new Error(`${controller.name}.${handler.name} declares no access`);
    if (typeof rule === 'string') return true;
    const { permissions } = principalOf(context.switchToHttp().getRequest<FastifyRequest>());
    if (allows(permissions, rule.permission)) return true;
    await this.throttler.describe(context);
    throw new ProblemError({ code: 'permission_missing', permission: rule.permission });
  }
}

interface ReceivedJson {
  json(): unknown;
}

/** An `organizationId` in this part of the request must be the authenticated one. Checked before other fields. */
export class OrganizationMatchGuard implements CanActivate {
  constructor(private readonly part: 'query' | 'body') {}

  /** @throws ProblemError 401 or 403, by area */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const isBody = this.part === 'body';
    const sent = isBody ? (request.body as ReceivedJson).json() : request.query;
    const { organizationId } = (sent ?? {}) as { organizationId?: unknown };
    const own = principalOf(request).organizationId;
    // A parameter may be sent twice.
    const named = isBody ? [organizationId] : [organizationId].flat();
    if (named.some((id) => typeof id === 'string' && id !== '' && id !== own)) {
      throw new ProblemError({ code: 'organization_mismatch' });
    }
    return true;
  }
}
