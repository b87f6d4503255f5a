import { Controller, Get, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { answerInPieces } from '@cxp/service-kit';
import { ListCampaignsQuery } from './campaign.dto';
import { ApiListCampaigns } from './campaign.openapi';
import { CampaignService } from './campaign.service';

@ApiTags('Survey campaigns')
@Controller('external/survey-campaigns')
export class CampaignController {
  constructor(private readonly campaigns: CampaignService) {}

  @Get()
  @RequirePermission('$survey_campaign:list')
  @ApiListCampaigns()
  list(
    @OrganizationId() organizationId: string,
    @Query() query: ListCampaignsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer | StreamableFile> {
    return answerInPieces(this.campaigns.list(organizationId, query), request, reply);
  }
}
