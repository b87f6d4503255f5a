import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { principalOf } from '@cxp/auth-headers';
import { ProblemError } from '@cxp/error-envelopes';

/** An `organizationId` parameter has to name the authenticated organization. It is checked before any other parameter. */
@Injectable()
export class OrganizationMatchGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { organizationId } = request.query as { organizationId?: unknown };
    const isNamed = typeof organizationId === 'string' && organizationId !== '';
    if (isNamed && organizationId !== principalOf(request).organizationId) {
      throw new ProblemError({ code: 'organization_mismatch' });
    }
    return true;
  }
}
