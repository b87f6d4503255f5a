import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { allows } from '@cxp/access';
import { ProblemError } from '@cxp/error-envelopes';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { principalOf } from './decorators';

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
