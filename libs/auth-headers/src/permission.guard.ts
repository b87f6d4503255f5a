import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { allows } from '@cxp/access';
import { ProblemError } from '@cxp/error-envelopes';
import { ApiThrottlerGuard } from '@cxp/rate-limit';

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
