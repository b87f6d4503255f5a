import type { Readable } from 'node:stream';
import { Controller, Headers, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ResponseWindowQuery } from '../responses/response-window.dto';
import { ApiExportResponses } from './response-export.openapi';
import { ResponseExportService } from './response-export.service';

@ApiTags('Survey responses')
@Controller('external/survey-responses/export')
export class ResponseExportController {
  constructor(private readonly exports: ResponseExportService) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$survey_response:export')
  @ApiExportResponses()
  async export(
    @OrganizationId() organizationId: string,
    @Query() query: ResponseWindowQuery,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const { headers, body } = await this.exports.open(organizationId, query, accept);
    void reply.headers(headers);
    return body;
  }
}
