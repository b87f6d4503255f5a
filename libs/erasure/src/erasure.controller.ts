import { applyDecorators, Body, Controller, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ApiProblems, type DescribedProblems, JsonBody, Signal, TimeLimit } from '@cxp/service-kit';
import { ERASURE_BODY } from './erase-request';
import { CertificateResponse, EraseRequest, ErasurePath } from './erasure.dto';
import { ErasureService } from './erasure.service';
import { subjectOf } from './eraser';

/** Milliseconds for counting a dry run; no single statement takes that long. */
const TIME_LIMIT_MS = 30_000;

@ApiTags('Erasures')
@Controller('external/erasures')
export class ErasureController {
  constructor(private readonly erasures: ErasureService) {}

  @Post()
  @RequirePermission('$personal_data:erase')
  @HttpCode(200)
  @JsonBody(ERASURE_BODY)
  @TimeLimit(TIME_LIMIT_MS)
  @ApiOperation({
    operationId: 'erase',
    summary: "Erase a person's data",
    description:
      'Answers a certificate, which holds no identifier. The keys of what was erased are kept, so that no record ' +
      'brings it back. A large erasure goes on after the answer: its `erasedAt` is null until then. Keep the request: after a ' +
      'backup was restored, the same one erases once more what is there again.',
  })
  @AnswersCertificate({
    'invalid body, or an id that belongs to an erasure of another subject, which is under way': {
      code: 'invalid',
      items: [{ loc: ['body', 'id'], msg: 'id must be a UUID', type: 'value_error' }],
    },
  })
  async erase(
    @OrganizationId() organizationId: string,
    @Body() { id, subject: sent, dryRun }: EraseRequest,
    @Signal() signal: AbortSignal,
  ): Promise<CertificateResponse> {
    const subject = subjectOf(sent);
    if (dryRun) return this.erasures.count(organizationId, subject, signal);
    return this.erasures.afterMoment(
      await this.erasures.begin({ organizationId, id: id.toLowerCase() }, subject),
    );
  }

  @Get(':id')
  @RequirePermission('$personal_data:erase')
  @ApiOperation({ operationId: 'getErasure', summary: 'Read the certificate of an erasure' })
  @AnswersCertificate({
    'there is no such erasure': { code: 'resource_not_found', model: 'Erasure', id: '' },
    'the id is no uuid': {
      code: 'invalid',
      items: [{ loc: ['path', 'id'], msg: 'id must be a UUID', type: 'value_error' }],
    },
  })
  find(@OrganizationId() organizationId: string, @Param() { id }: ErasurePath): Promise<CertificateResponse> {
    return this.erasures.find({ organizationId, id: id.toLowerCase() });
  }
}

function AnswersCertificate(problems: DescribedProblems): MethodDecorator {
  return applyDecorators(
    Header('cache-control', 'no-store'),
    ApiOkResponse({ type: CertificateResponse, description: 'The certificate.' }),
    ApiProblems(problems),
  );
}
