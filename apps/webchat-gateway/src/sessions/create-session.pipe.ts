import { createParamDecorator, Injectable, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { principalOf } from '@cxp/auth-headers';
import { ProblemError, validationSentences } from '@cxp/error-envelopes';
import { checkDto } from '@cxp/service-kit';
import type { StatementScope } from '@cxp/storage';
import { InstalledSourceRepository } from '../installed-sources/installed-source.repository';
import { CreateSessionRequest } from './session.dto';

interface AuthenticatedBody {
  readonly organizationId: string;
  readonly statements: StatementScope;
  readonly body: unknown;
}

/** The body together with the organization that it has to agree with. */
export const AuthenticatedBody = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return {
    organizationId: principalOf(request).organizationId,
    statements: request.statements,
    body: request.body,
  } satisfies AuthenticatedBody;
});

/** Lists everything that is wrong with a create-session body in one answer, the installed source included. */
@Injectable()
export class CreateSessionPipe implements PipeTransform<AuthenticatedBody, Promise<CreateSessionRequest>> {
  constructor(private readonly installedSources: InstalledSourceRepository) {}

  /** @throws ProblemError 401 for another organization's id, before anything else; 422 for all other problems */
  async transform({ organizationId, statements, body }: AuthenticatedBody): Promise<CreateSessionRequest> {
    const named = (body as { organizationId?: unknown } | null)?.organizationId;
    if (typeof named === 'string' && named !== '' && named !== organizationId) {
      throw new ProblemError({ code: 'organization_mismatch' });
    }
    const { dto, items } = checkDto(CreateSessionRequest, body, 'body', validationSentences);
    if (Number.isInteger(dto.installedSourceId)) {
      const active = await statements.start(() =>
        this.installedSources.isActive(organizationId, dto.installedSourceId),
      );
      if (!active) items.push(INACTIVE_SOURCE);
    }
    if (items.length > 0) throw new ProblemError({ code: 'invalid', items });
    return dto;
  }
}

const INACTIVE_SOURCE = {
  loc: ['body', 'installedSourceId'],
  msg: 'installedSourceId must be an active installed source of the organization',
  type: 'value_error',
};
