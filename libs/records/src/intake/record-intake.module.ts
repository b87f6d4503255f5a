import { Controller, type DynamicModule, HttpCode, Module, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { OtherBody, type ReceivedBody, TimeLimit } from '@cxp/service-kit';
import type { RecordArea } from '../schemas/record-types';
import {
  BODY_LIMIT,
  INTAKE_MS,
  MAX_BODY_BYTES,
  RECEIVE_MS,
  RECORD_AREA,
  RecordIntake,
} from './record-intake';

/** For the platform only: the ingress does not route `/internal`. */
@ApiExcludeController()
@Controller('internal/records')
export class RecordsController {
  constructor(private readonly intake: RecordIntake) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$platform_record:import')
  @OtherBody(MAX_BODY_BYTES, { limit: BODY_LIMIT, receiveMs: RECEIVE_MS })
  @TimeLimit(INTAKE_MS)
  ingest(
    @OrganizationId() organizationId: string,
    @Req() request: FastifyRequest,
  ): Promise<{ accepted: number }> {
    const body = request.body as ReceivedBody;
    return this.intake.ingest(organizationId, body.ofType('application/x-ndjson'), request.time);
  }
}

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
