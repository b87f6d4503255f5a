import { Controller, HttpCode, Module, Post, Req, type DynamicModule } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { readBody, TimeLimit } from '@cxp/service-kit';
import type { RecordArea } from './record-area';
import { BODY_LIMIT, INTAKE_MS, MAX_BODY_BYTES, RECORD_AREA, RecordIntake } from './record-intake';

/** The platform's way in. Not part of the external API: the ingress does not route `/internal`. */
@ApiExcludeController()
@Controller('internal/records')
export class RecordsController {
  constructor(private readonly intake: RecordIntake) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$platform_record:import')
  @TimeLimit(INTAKE_MS)
  ingest(
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
    return this.intake.ingest(organizationId, request.time, () =>
      readBody(request, MAX_BODY_BYTES, BODY_LIMIT),
    );
  }
}

/** `POST /internal/records` for the records of one area. */
@Module({})
export class RecordIntakeModule {
  static forRoot(area: RecordArea): DynamicModule {
    return {
      module: RecordIntakeModule,
      controllers: [RecordsController],
      providers: [RecordIntake, { provide: RECORD_AREA, useValue: area }],
    };
  }
}
