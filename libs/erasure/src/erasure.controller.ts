import { applyDecorators, Body, Controller, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { ApiProblems, type DescribedProblems, JsonBody } from '@cxp/service-kit';
import {
  CertificateResponse,
  EraseAgainRequest,
  EraseRequest,
  ErasurePath,
  subjectOfRequest,
} from './erasure.dto';
import { type Certificate, ErasureService } from './erasure.service';

const BODY_LIMIT_BYTES = 256 * 1024;

/** `cxp erase --again` applies larger certificates, too. */
const CERTIFICATE_LIMIT_BYTES = 16 * 1024 * 1024;

const OTHER_ORGANIZATION = {
  loc: ['body', 'organizationId'],
  msg: 'organizationId must be that of the caller',
  type: 'value_error',
};

@ApiTags('Erasures')
@RequirePermission('$personal_data:erase')
@Controller('external/erasures')
export class ErasureController {
  constructor(private readonly erasures: ErasureService) {}

  @Post()
  @HttpCode(200)
  @JsonBody(BODY_LIMIT_BYTES)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    operationId: 'erase',
    summary: "Erase a person's data",
    description:
      'Answers a certificate, which holds no identifier. The keys of what was erased are kept, so that no record ' +
      'brings it back. A large erasure goes on after the answer: its `erasedAt` is null until then.',
  })
  @ApiCertificate({
    'invalid body, or an id that belongs to another erasure': {
      code: 'invalid',
      items: [{ loc: ['body', 'id'], msg: 'id must be a UUID', type: 'value_error' }],
    },
  })
  erase(
    @OrganizationId() organizationId: string,
    @Body() { id, subject, mode, dryRun }: EraseRequest,
  ): Promise<Certificate> {
    const request = { subject: subjectOfRequest(subject), mode };
    return dryRun
      ? this.erasures.tryOut(organizationId, request)
      : this.erasures.erase(organizationId, { ...request, id: id.toLowerCase() });
  }

  @Post('again')
  @HttpCode(200)
  @JsonBody(CERTIFICATE_LIMIT_BYTES)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    operationId: 'eraseAgain',
    summary: 'Apply an erasure again',
    description:
      'After a backup was restored: erases what the certificate is about. The body is the certificate.',
  })
  @ApiCertificate({
    'not a certificate of this area and organization': {
      code: 'invalid',
      items: [
        {
          loc: ['body', 'keys'],
          msg: 'keys must be ids of records of this area by their type',
          type: 'value_error',
        },
      ],
    },
  })
  again(
    @OrganizationId() organizationId: string,
    @Body() { id, ...request }: EraseAgainRequest,
  ): Promise<Certificate> {
    if (request.organizationId !== organizationId) rejectAsInvalid(OTHER_ORGANIZATION);
    return this.erasures.eraseAgain({ ...request, id: id.toLowerCase() });
  }

  @Get(':id')
  @Header('cache-control', 'no-store')
  @ApiOperation({ operationId: 'getErasure', summary: 'Read the certificate of an erasure' })
  @ApiCertificate({
    'there is no such erasure': { code: 'resource_not_found', model: 'Erasure', id: '' },
    'the id is no uuid': {
      code: 'invalid',
      items: [{ loc: ['path', 'id'], msg: 'id must be a UUID', type: 'value_error' }],
    },
  })
  find(@OrganizationId() organizationId: string, @Param() { id }: ErasurePath): Promise<Certificate> {
    return this.erasures.certificate(organizationId, id.toLowerCase());
  }
}

/** Documents the certificate and the errors of an operation. */
function ApiCertificate(problems: DescribedProblems): MethodDecorator {
  return applyDecorators(
    ApiOkResponse({ type: CertificateResponse, description: 'The certificate.' }),
    ApiProblems(problems),
  );
}
