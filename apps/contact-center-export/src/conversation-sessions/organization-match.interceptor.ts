import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { principalOf } from '@cxp/auth-headers';
import { ProblemError } from '@cxp/error-envelopes';

/** An `organizationId` parameter has to name the authenticated organization; told before any other parameter is read. */
@Injectable()
export class OrganizationMatchInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { organizationId } = request.query as { organizationId?: unknown };
    const named = typeof organizationId === 'string' && organizationId !== '';
    if (named && organizationId !== principalOf(request).organizationId) {
      throw new ProblemError({ code: 'organization_mismatch' });
    }
    return next.handle();
  }
}
