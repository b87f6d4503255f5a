import { Controller, HttpCode, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { EnvelopeFilter, rejectAsInvalid, tokenEnvelope } from '@cxp/error-envelopes';
import { bodyChunks, liftDeadline } from '@cxp/service-kit';
import { RecordIntake } from './record-intake';

/** The platform's way in. Not part of the external API: the ingress does not route `/internal`. */
@ApiExcludeController()
@UseFilters(new EnvelopeFilter(tokenEnvelope))
@Controller('internal/records')
export class RecordsController {
  constructor(private readonly intake: RecordIntake) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$platform_record:import')
  take(
    @OrganizationId() organizationId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ accepted: number }> {
    if (!/^application\/x-ndjson *(;|$)/i.test(request.contentType)) {
      rejectAsInvalid({
        loc: ['body'],
        msg: 'content-type must be application/x-ndjson',
        type: 'content_type',
      });
    }
    liftDeadline(request);
    return this.intake.take(organizationId, bodyChunks(request));
  }
}
