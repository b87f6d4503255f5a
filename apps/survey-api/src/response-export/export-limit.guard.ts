import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '@cxp/auth-headers';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { SurveySettings } from '../settings';

/** Limits the exports that are sent at once, per organization and in all: a client may read as slowly as it likes. */
@Injectable()
export class ExportLimitGuard implements CanActivate {
  private readonly limit: ConcurrencyLimit;

  constructor(settings: SurveySettings) {
    this.limit = new ConcurrencyLimit({
      perOrganization: settings.SURVEY_EXPORTS_PER_ORGANIZATION,
      total: settings.SURVEY_EXPORTS_AT_ONCE,
    });
  }

  /** @throws ProblemError `rate_limited` or `overloaded` */
  canActivate(context: ExecutionContext): true {
    const http = context.switchToHttp();
    const { organizationId } = principalOf(http.getRequest<FastifyRequest>());
    this.limit.holdUntilClosed(organizationId, http.getResponse<FastifyReply>().raw);
    return true;
  }
}
