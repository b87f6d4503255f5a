import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';
import { principalOf } from './decorators';

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
