import { Controller, Get, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { answerInPieces } from '@cxp/service-kit';
import { ListResponsesQuery } from './response.dto';
import { ApiListResponses } from './response.openapi';
import { ResponseService } from './response.service';

@ApiTags('Survey responses')
@Controller('external/survey-responses')
export class ResponseController {
  constructor(private readonly responses: ResponseService) {}

  @Get()
  @RequirePermission('$survey_response:list')
  @ApiListResponses()
  list(
    @OrganizationId() organizationId: string,
    @Query() query: ListResponsesQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    return answerInPieces(this.responses.list(organizationId, query), request, reply);
  }
}
