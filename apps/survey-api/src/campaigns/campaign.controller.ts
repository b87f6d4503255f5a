import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { ListCampaignsQuery, type CampaignPageResponse } from './campaign.dto';
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
  ): Promise<CampaignPageResponse> {
    return this.campaigns.list(organizationId, query);
  }
}
