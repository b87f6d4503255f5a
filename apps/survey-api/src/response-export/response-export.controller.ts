import { Controller, HttpCode, Post, Query, Req, Res, StreamableFile, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { AtClientPace, preferredMediaType } from '@cxp/service-kit';
import { ResponseWindowQuery } from '../responses/response-window.dto';
import { EXPORT_MEDIA_TYPES } from './export-formats';
import { ExportLimitGuard } from './export-limit.guard';
import { ApiExportResponses } from './response-export.openapi';
import { ResponseExportService } from './response-export.service';

@ApiTags('Survey responses')
@Controller('external/survey-responses/export')
export class ResponseExportController {
  constructor(private readonly exports: ResponseExportService) {}

  @Post()
  @HttpCode(200)
  @RequirePermission('$survey_response:export')
  @UseGuards(ExportLimitGuard)
  @AtClientPace()
  @ApiExportResponses()
  async export(
    @OrganizationId() organizationId: string,
    @Query() query: ResponseWindowQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const mediaType = preferredMediaType(request, EXPORT_MEDIA_TYPES);
    const { headers, body } = await this.exports.open(organizationId, query, mediaType);
    void reply.headers(headers);
    return new StreamableFile(body);
  }
}
